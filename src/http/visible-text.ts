/**
 * Removes characters that are invisible to readers but not to models: a note may hide
 * instructions in them.
 */

const PLAIN = /^[\n\t\x20-\x7e]*$/;

/**
 * An emoji, which may contain invisible characters; else an invisible character: tags,
 * bidi controls, zero-width ones, variation selectors, fillers, controls. Compiled on
 * first use, because the emojis take 10 ms.
 */
let emojiOrInvisible: RegExp | undefined;

export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  emojiOrInvisible ??=
    /(?<emoji>\p{RGI_Emoji})|[\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]|[\p{Cc}--[\n\t]]/gv;
  return text.replace(emojiOrInvisible, '$<emoji>');
}
