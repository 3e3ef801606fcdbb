/** The program: a command of the process, and what becomes of its streams. */
import { runProgram } from './commands/program.ts';

// Whoever reads our output may have seen enough: journal-api key list | head -1.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

// A service outlives whoever read its messages.
process.stderr.on('error', () => {});

runProgram(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
