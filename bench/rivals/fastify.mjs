import fastify from 'fastify';
import { answers } from './answers.mjs';

const [port, journal] = process.argv.slice(2);
const { page, trade } = answers(journal);
const app = fastify();
app.get('/v1/trades', (request) => page(request.query.end));
app.get('/v1/trades/:id', (request) => trade(request.params.id));
await app.listen({ port: Number(port), host: '127.0.0.1' });
