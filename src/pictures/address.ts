/** Names and addresses of kept pictures. */

/** The kinds of pictures that are kept, as their files end. */
const PICTURE_TYPES = ['png', 'jpg', 'webp', 'gif'] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

/** Their media types. */
export const PICTURE_MEDIA = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
} as const satisfies Readonly<Record<PictureType, string>>;
export type PictureMedia = (typeof PICTURE_MEDIA)[PictureType];

export const MOST_PICTURE_BYTES = 8_000_000;

export interface NamedPicture {
  /** SHA-256 of its bytes. */
  sha256: string;
  type: PictureType;
}

/** Where the API serves kept pictures. */
export const PICTURES_PATH = '/v1/attachments/';

const NAME = /^([0-9a-f]{64})\.(png|jpg|webp|gif)$/;
const ADDRESS = /^\/v1\/attachments\/([0-9a-f]{64})\.(png|jpg|webp|gif)$/;

/** A name such as 0123...ef.png, in a folder and in addresses. */
export function pictureName({ sha256, type }: NamedPicture): string {
  return `${sha256}.${type}`;
}

/** What a name says of a picture; undefined for any other text. */
export function pictureNamed(name: string): NamedPicture | undefined {
  const [, sha256, type] = NAME.exec(name) ?? [];
  return sha256 === undefined ? undefined : { sha256, type: type as PictureType };
}

export function addressOf(picture: NamedPicture): string {
  return PICTURES_PATH + pictureName(picture);
}

/** The name of the kept picture at an address; undefined for any other address. */
export function nameAt(address: string): string | undefined {
  return ADDRESS.test(address) ? address.slice(PICTURES_PATH.length) : undefined;
}
