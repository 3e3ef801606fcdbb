// Says in one line why an old Node won't do, before anything that such a Node can't even load: SQLite's addon needs Node-API 10, and
// crashes where that is missing. The build puts it at the beginning of each script; it is old JavaScript for that reason.
(function () {
  if (Number(process.versions.napi) >= 10) return;
  process.stderr.write(
    'journal-api needs Node.js 22.14 or newer; this is ' +
      process.version +
      '. See https://nodejs.org, or run "npm run build:binary" in its source for an executable that needs no Node\n',
  );
  process.exit(1);
})();
