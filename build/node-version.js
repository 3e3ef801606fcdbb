// Refuses an old Node in one line, before it loads code that it can't parse or that crashes it: SQLite's addon needs Node-API 10.
// The build puts this at the start of each script, so it is old JavaScript.
(function () {
  if (Number(process.versions.napi) >= 10) return;
  process.stderr.write(
    'journal-api needs Node.js 22.14 or newer; this is ' +
      process.version +
      '. See https://nodejs.org, or run "npm run build:binary" in its source for an executable that needs no Node\n',
  );
  process.exit(1);
})();
