/** The built server as a child process, with a key for everything. */
import { execFileSync, spawn } from 'node:child_process';

export interface BenchServer {
  url: string;
  key: string;
  pid: number;
  stop: () => Promise<void>;
}

export async function startServer(home: string, ...flags: string[]): Promise<BenchServer> {
  const args = ['key', 'create', '--name', 'bench', '--scopes', 'all', '--expires', '24h', '--home', home];
  const key = execFileSync(process.execPath, ['dist/program.cjs', ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const serve = ['dist/program.cjs', 'serve', '--port', '0', '--rate-limit', '0', '--home', home, ...flags];
  const child = spawn(process.execPath, serve, { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    child.stderr.on('data', (chunk) => {
      const ready = /ready at (\S+)/.exec(String(chunk))?.[1];
      if (ready) resolve(ready);
    });
  });
  return {
    url,
    key: key.toString().trim(),
    pid: child.pid as number,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}
