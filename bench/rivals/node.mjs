/** The upper limit: plain node:http. node.mjs PORT JOURNAL BODY: sends the bytes of a file, 304 if unchanged, and single trades. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { answers } from './answers.mjs';

const [port, journal, file] = process.argv.slice(2);
const body = readFileSync(file);
const { trade } = answers(journal);
createServer((request, response) => {
  if (request.headers['if-none-match'] !== undefined) {
    response.writeHead(304, { ETag: '"1"' }).end();
  } else if (request.url.startsWith('/v1/trades/')) {
    const text = JSON.stringify(trade(request.url.slice('/v1/trades/'.length)));
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
    });
    response.end(text);
  } else {
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    });
    response.end(body);
  }
}).listen(Number(port), '127.0.0.1');
