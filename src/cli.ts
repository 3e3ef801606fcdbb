/** The program's entry: runs the command and handles closed output streams. */
import { VERSION } from './embedded.ts';

// A reader may stop early: journal-api key list | head -1.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

// A service outlives the reader of its messages.
process.stderr.on('error', () => {});

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V'))
  process.stdout.write(`${VERSION}\n`);
else
  import('./commands/program.ts')
    .then(({ runProgram }) => runProgram(args))
    .then((code) => {
      process.exitCode = code;
    });
