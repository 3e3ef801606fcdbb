/** The option --dates of commands that read files. */
import { InvalidArgumentError, Option } from 'commander';

export function datesOption(): Option {
  return new Option(
    '--dates <order>',
    'order of day and month in dates such as 02/11/2026: dmy or mdy',
  ).argParser(orderIn);
}

function orderIn(text: string): 'dmy' | 'mdy' {
  if (text === 'dmy' || text === 'mdy') return text;
  throw new InvalidArgumentError('Pass dmy if the day comes first, or mdy.');
}
