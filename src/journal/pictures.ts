/**
 * The kept pictures of a journal: which of them lines state, and which of them records
 * show.
 */
import type { Scope } from '../keys/scopes.ts';
import {
  type NamedPicture,
  PICTURE_MEDIA,
  PICTURES_PATH,
  type PictureMedia,
  pictureName,
  pictureNamed,
} from '../pictures/kept-pictures.ts';
import { type Reader, type Row, TEXT } from '../sqlite/reader.ts';

/** Tables whose records may show pictures, with the scope that shows the records. */
const SHOWING = [
  ['trades', 'trades:read'],
  ['trade_journals', 'journals:read'],
  ['group_journals', 'journals:read'],
  ['sessions', 'sessions:read'],
  ['weekly_reviews', 'reviews:read'],
] as const satisfies readonly (readonly [table: string, scope: Scope])[];

/** As the partial indexes of schema.sql have it. */
const HAS_KEPT = `instr(attachments, '${PICTURES_PATH}') > 0`;

/** SQL in place of a record's attachments: without kept pictures. */
export const WITHOUT_KEPT = `CASE WHEN instr(stored.attachments, '${PICTURES_PATH}') = 0
  THEN stored.attachments ELSE (
    SELECT json_group_array(json_extract(stored.attachments, a.fullkey))
    FROM json_each(stored.attachments) AS a
    WHERE instr(coalesce(json_extract(stored.attachments, a.fullkey || '.url'), ''),
      '${PICTURES_PATH}') <> 1) END`;

/** The pictures that lines of one user or of all state, by name. */
export function statedPictures(
  reader: Reader,
  user?: string,
): Map<string, NamedPicture & Row> {
  const hasTable = reader.get(
    "SELECT 1 FROM sqlite_schema WHERE name = 'import_pictures'",
  );
  if (!hasTable) return new Map();

  const of = user === undefined ? '' : `WHERE user_id = ${TEXT}`;
  const rows = reader.all<NamedPicture & Row>(
    `SELECT sha256, type, bytes, width, height FROM import_pictures ${of}
     GROUP BY sha256, type ORDER BY sha256`,
    ...(user === undefined ? [] : [user]),
  );
  return new Map(rows.map((row) => [pictureName(row), row]));
}

/** Names of the kept pictures that records of one user or of all show. */
export function shownPictures(reader: Reader, user?: string): Set<string> {
  const of = user === undefined ? '' : `AND user_id = ${TEXT}`;
  const values = user === undefined ? [] : [user];
  const names = SHOWING.flatMap(([table]) =>
    reader
      .all<{ attachments: string }>(
        `SELECT attachments FROM ${table} WHERE ${HAS_KEPT} ${of}`,
        ...values,
      )
      .flatMap(({ attachments }) => namesIn(attachments)),
  );
  return new Set(names);
}

const ADDRESSES = /"\/v1\/attachments\/([0-9a-f]{64}\.[a-z]{3,4})"/g;

function namesIn(attachments: string): string[] {
  return [...attachments.matchAll(ADDRESSES)].flatMap(([, name = '']) =>
    pictureNamed(name) ? name : [],
  );
}

export interface ShownPicture {
  name: string;
  type: PictureMedia;
  width: number;
  height: number;
  bytes: number;
  url: string;
}

/**
 * A picture that the user has kept and a record shows.
 * @param scopes of the key: only records that it reads count
 */
export function shownPicture(
  reader: Reader,
  user: string,
  name: string,
  scopes: readonly Scope[],
): ShownPicture | undefined {
  const named = pictureNamed(name);
  if (!named) return undefined;

  const row = reader.get<Pick<ShownPicture, 'width' | 'height' | 'bytes'>>(
    `SELECT width, height, bytes FROM import_pictures
     WHERE user_id = ${TEXT} AND sha256 = ${TEXT} AND type = ${TEXT} LIMIT 1`,
    user,
    named.sha256,
    named.type,
  );
  const url = PICTURES_PATH + name;
  const isShown = SHOWING.some(
    ([table, scope]) => scopes.includes(scope) && isIn(reader, user, table, url),
  );
  if (!row || !isShown) return undefined;

  const { width, height, bytes } = row;
  return { name, type: PICTURE_MEDIA[named.type], width, height, bytes, url };
}

function isIn(reader: Reader, user: string, table: string, url: string): boolean {
  const found = reader.get(
    `SELECT 1 FROM ${table} WHERE user_id = ${TEXT} AND ${HAS_KEPT}
     AND instr(attachments, '"' || ${TEXT} || '"') > 0 LIMIT 1`,
    user,
    url,
  );
  return found !== undefined;
}
