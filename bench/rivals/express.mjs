import express from 'express';
import { answers } from './answers.mjs';

const [port, journal] = process.argv.slice(2);
const { page, trade } = answers(journal);
const app = express();
app.get('/v1/trades', (request, response) => response.json(page(request.query.end)));
app.get('/v1/trades/:id', (request, response) => response.json(trade(request.params.id)));
app.listen(Number(port), '127.0.0.1');
