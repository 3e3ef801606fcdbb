/** The tools, in the order they are listed. */
import type { Tool } from '../tool.ts';
import { analyzePerformance } from './analyze-performance.ts';
import { findTrades } from './find-trades.ts';
import { getTrade } from './get-trade.ts';
import { journalSummary } from './journal-summary.ts';
import { readNotes } from './read-notes.ts';

export const TOOLS: readonly Tool[] = [journalSummary, analyzePerformance, findTrades, getTrade, readNotes];
