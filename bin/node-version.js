// Says in one line why an old Node won't do, before anything that such a Node can't even load. Written in old JavaScript for that
// reason; the build puts it at the beginning of the bundled script, too.
(() => {
  var version = process.versions.node.split('.');
  var major = Number(version[0]);
  if (major > 22 || (major === 22 && Number(version[1]) >= 12)) return;
  process.stderr.write(
    'journal-api needs Node.js 22.12 or newer; this is ' + process.version + '. See https://nodejs.org\n',
  );
  process.exit(1);
})();
