/** Types of API responses, from the API's own declarations. */
import type * as z from 'zod';
import type { meRecord } from '../http/endpoints/me.ts';
import type { Key } from '../journal/analytics/dimensions.ts';
import type { Analytics as Given } from '../journal/analytics/index.ts';
import type { journalExtentRecord } from '../journal/analytics/summary.ts';
import type { journalRows } from '../journal/resources/journals.ts';
import type { missedTrades } from '../journal/resources/missed-trades.ts';
import type { GROUP_SIDES, positions } from '../journal/resources/positions.ts';
import type { sessions } from '../journal/resources/sessions.ts';
import type { tradeFilters } from '../journal/resources/trades.ts';
import type { weeklyReviews } from '../journal/resources/weekly-reviews.ts';
import type { tradeDetailRecord } from '../journal/trade.ts';

export type { Key } from '../journal/analytics/dimensions.ts';
export type { Performance } from '../journal/analytics/performance.ts';
export type { Trade } from '../journal/resources/trades.ts';

/**
 * What the renderer of reports takes: the program runs it from its bundle, without the
 * types of browsers.
 */
export interface ReportRequest {
  /**
   * The answer to a path such as /v1/me, by a key that shows what the report may show.
   */
  ask: (path: string) => Promise<unknown>;
  me: Me;
  /** As the API's parameter has it: last_week, 2026-11, 2026-11-20. */
  period: string;
  unit: Me['unit'];
  styles: string;
  /** The SHA-256 of a text in base64. */
  hash: (text: string) => string;
  /** When it is written. */
  now: string;
  /**
   * The data: address of a kept picture, by its own; undefined if it isn't taken along.
   * Without it, none is.
   */
  picture?: (url: string) => Promise<string | undefined>;
}

/** All sections; what_if only if something is excluded. */
export type Analytics = {
  [Name in Exclude<keyof Given, 'what_if'>]-?: Exclude<Given[Name], undefined>;
} & Pick<Given, 'what_if'>;
export type WhatIfFigures = NonNullable<Given['what_if']>;

/** The first request: fast for the API. */
export type FirstFigures = Pick<
  Analytics,
  | 'period'
  | 'performance'
  | 'daily'
  | 'realised'
  | 'open'
  | 'missed'
  | 'limits'
  | 'what_if'
>;

/** The slowest sections. */
export type OutlookFigures = Pick<Analytics, 'leaks' | 'simulation' | 'exits'>;

export type AccountLimits = Analytics['limits'][number];

export type Me = z.infer<typeof meRecord>;
export type JournalExtent = z.infer<typeof journalExtentRecord>;
export type Daily = Analytics['daily'][number];
export type TradeDetail = z.infer<typeof tradeDetailRecord>;
export type Position = z.infer<(typeof positions)['record']>;
export type JournalRow = z.infer<(typeof journalRows)['record']>;
export type Attachment = JournalRow['attachments'][number];
export type Session = z.infer<(typeof sessions)['record']>;
export type WeeklyReview = z.infer<(typeof weeklyReviews)['record']>;
export type MissedTrade = z.infer<(typeof missedTrades)['record']>;

/** A filter of trades. */
export type TradeFilter = keyof typeof tradeFilters;
export type GroupSide = (typeof GROUP_SIDES)[number];

/** A row of a breakdown. */
export type Row = Omit<Analytics['breakdowns']['setup'][number], 'key'> & {
  key: Key;
};

export interface Page<T> {
  data: T[];
  pagination: { limit: number; has_more: boolean; next_cursor: string | null };
  hint?: string;
}

/** Most used first; null if the key can't read them. */
export type Labels = Record<
  string,
  { value: string; count: number; last_used: string | null }[] | null
>;
