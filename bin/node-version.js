// Says in one line why an old Node won't do, before anything that such a Node can't even load: SQLite's addon needs Node-API 10, and
// crashes where that is missing. Written in old JavaScript for that reason; the build puts it at the beginning of the bundled script, too.
(function () {
  if (Number(process.versions.napi) >= 10) return;
  process.stderr.write(
    'journal-api needs Node.js 22.14 or newer; this is ' + process.version + '. See https://nodejs.org\n',
  );
  process.exit(1);
})();
