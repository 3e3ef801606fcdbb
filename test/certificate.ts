/** A certificate for this machine, made for one test. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryFolder } from './helpers.ts';

/**
 * @param skip ends the test without openssl
 * @returns its file, and that of its key
 */
export function certificate(skip: (why: string) => never): [cert: string, key: string] {
  const folder = temporaryFolder();
  const [cert, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const make =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1,DNS:localhost';
  try {
    execFileSync('openssl', [...make.split(' '), '-keyout', keyFile, '-out', cert], {
      stdio: 'ignore',
    });
  } catch {
    return skip('needs openssl');
  }
  return [cert, keyFile];
}
