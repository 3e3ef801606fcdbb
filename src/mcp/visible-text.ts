/** Texts without what a reader doesn't see and a model does: a note may hide instructions in such characters. */

const PLAIN = /^[\n\t\x20-\x7e]*$/;

/**
 * An emoji, which may be made of several characters that aren't seen by themselves; else a character without a picture: tags, bidi
 * controls, zero-width ones, variation selectors, fillers, controls. Made at first need, since all emojis take 10 ms.
 */
let emojiOrUnseen: RegExp | undefined;

export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  emojiOrUnseen ??= /(?<emoji>\p{RGI_Emoji})|[\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]|[\p{Cc}--[\n\t]]/gv;
  return text.replace(emojiOrUnseen, '$<emoji>');
}
