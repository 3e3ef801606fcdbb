/**
 * Pictures of a trade for an agent that asks for them: a few, and not too large together.
 */
import { nameAt, PICTURE_MEDIA, pictureNamed } from '../pictures/kept-pictures.ts';
import type { Api } from './api.ts';
import type { Row } from './compact.ts';
import type { Image } from './tool.ts';

const MOST = 4;
const MOST_BYTES = 3_000_000;

/** What an answer says of its pictures. */
interface ShownPictures {
  /** How many of all kept ones, in the order of the answer. */
  says: string;
  images: Image[];
}

/** @param data a trade or a group, with its entries */
export async function picturesOf(data: Row, api: Api): Promise<ShownPictures> {
  const entries = [data, ...rowsIn(data['journals']), ...rowsIn(data['group_journals'])];
  const attachments = entries.flatMap((entry) => rowsIn(entry['attachments']));
  const urls = attachments.flatMap(({ url }) => (nameAt(String(url)) ? String(url) : []));
  const all = [...new Set(urls)];
  const images: Image[] = [];
  let size = 0;

  for (const url of all.slice(0, MOST)) {
    const type = pictureNamed(nameAt(url) as string)?.type;
    const bytes = await api.picture(url);
    if (!bytes || !type || size + bytes.length > MOST_BYTES) continue;

    size += bytes.length;
    images.push({ data: bytes.toString('base64'), mimeType: PICTURE_MEDIA[type] });
  }

  return { says: `${images.length} of ${all.length}, as images`, images };
}

function rowsIn(value: unknown): Row[] {
  return Array.isArray(value) ? value : [];
}
