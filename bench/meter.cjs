// Loaded into a measured process: reports its processor time (µs) and largest memory (KB) at its end.
const report = () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  require('node:fs').writeSync(2, `\nMETER ${userCPUTime + systemCPUTime} ${maxRSS}\n`);
};
process.once('exit', report);
process.once('SIGUSR2', () => process.exit());
