/** A workbook of sheets with texts. */
import { strToU8, zipSync } from 'fflate';

const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;

/** @param sheets the rows of each, with cells separated by commas */
export function book(...sheets: string[][]): Buffer {
  const files = sheets.map((rows, index) => {
    const data = rows
      .map((row) => `<row>${row.split(',').map(cell).join('')}</row>`)
      .join('');
    const xml = `<worksheet><sheetData>${data}</sheetData></worksheet>`;
    return [`xl/worksheets/sheet${index + 1}.xml`, strToU8(xml)] as const;
  });
  return Buffer.from(zipSync(Object.fromEntries(files)));
}
