/**
 * A small view of a tool's answer in an agent's window (MCP Apps, revision 2026-01-26):
 * figures, a curve, tables. It loads and requests nothing: the host passes it the answer
 * that the model gets. The messages are few, and the library for them is 660 KB.
 */

interface Table {
  columns: string[];
  rows: (string | number | boolean)[][];
}

type Answer = Record<string, unknown>;

const FIGURES = [
  'net_pnl',
  'trades',
  'win_rate',
  'profit_factor',
  'expectancy',
  'expectancy_r',
  'total_r',
];
const TIMES = ['day', 'week', 'month', 'quarter', 'year'];
const MOST_ROWS = 12;
const [WIDTH, HEIGHT, MARGIN] = [640, 150, 6];

const send = (message: object) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

addEventListener('message', ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== '2.0') return;

  const { id, method, params, result } = data;
  if (id === 1 && result) {
    setTheme(result.hostContext);
    send({ method: 'ui/notifications/initialized', params: {} });
  } else if (method === 'ui/notifications/tool-result')
    show(params?.structuredContent ?? {});
  else if (method === 'ui/notifications/host-context-changed') setTheme(params);
  else if (method !== undefined && id !== undefined) send({ id, result: {} });
});

send({
  id: 1,
  method: 'ui/initialize',
  params: {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'journal-api', version: '1' },
    appCapabilities: {},
  },
});

new ResizeObserver(() => {
  const { width, height } = document.body.getBoundingClientRect();
  send({
    method: 'ui/notifications/size-changed',
    params: { width: Math.ceil(width), height: Math.ceil(height) },
  });
}).observe(document.body);

function setTheme(context: { theme?: string } | undefined): void {
  if (context?.theme) document.documentElement.style.colorScheme = context.theme;
}

function show(answer: Answer): void {
  const tables = tablesIn(answer);
  const series = tables.find(
    ({ table }) =>
      TIMES.includes(table.columns[0] ?? '') && table.columns.includes('net_pnl'),
  );
  document.body.replaceChildren(
    ...[
      title(answer),
      figures(answer),
      series && curve(series.table),
      ...tables.map(tableShown),
    ].filter((part) => part !== undefined),
  );
}

function title({ period, hint }: Answer): HTMLElement {
  const { start_date, end_date } = (period ?? {}) as Record<string, string>;
  const days = start_date === undefined ? 'All trades' : `${start_date} to ${end_date}`;

  return element(
    'header',
    '',
    element('h1', days),
    ...(typeof hint === 'string' ? [element('p', hint)] : []),
  );
}

function figures({ performance }: Answer): HTMLElement | undefined {
  const known = (performance ?? {}) as Record<string, unknown>;
  const shown = FIGURES.filter((name) => typeof known[name] === 'number');
  if (shown.length === 0) return undefined;

  const currency = typeof known['currency'] === 'string' ? ` ${known['currency']}` : '';
  return element(
    'dl',
    '',
    ...shown.map((name) => {
      const unit = name === 'net_pnl' || name === 'expectancy' ? currency : '';
      return element(
        'div',
        '',
        element('dt', words(name)),
        element('dd', `${text(known[name])}${unit}`),
      );
    }),
  );
}

/** Cumulative net P&L of a table of days, weeks or months. */
function curve({ columns, rows }: Table): Element {
  const nets = rows.map((row) => Number(row[columns.indexOf('net_pnl')]));
  let total = 0;
  const totals = [0, ...nets.map((net) => (total += net))];
  const [least, most] = [Math.min(...totals), Math.max(...totals)];
  const x = (index: number) =>
    MARGIN + (index / (totals.length - 1 || 1)) * (WIDTH - 2 * MARGIN);
  const y = (value: number) =>
    MARGIN + ((most - value) / (most - least || 1)) * (HEIGHT - 2 * MARGIN);
  const picture = drawn('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' });

  picture.setAttribute(
    'aria-label',
    `Cumulative net P&L: ${text(total)}, between ${text(least)} and ${text(most)}`,
  );
  const line = `M${totals.map((value, index) => `${x(index)} ${y(value)}`).join('L')}`;
  picture.append(
    drawn('path', { class: 'zero', d: `M${MARGIN} ${y(0)}H${WIDTH - MARGIN}` }),
    drawn('path', { class: 'line', d: line }),
  );

  return picture;
}

/** Every table of the answer, with the names of the fields that lead to it. */
function tablesIn(answer: Answer, path = ''): { name: string; table: Table }[] {
  return Object.entries(answer).flatMap(([name, value]) => {
    const inner = path === '' ? name : `${path}: ${name}`;
    if (typeof value !== 'object' || value === null) return [];
    const { columns, rows } = value as Partial<Table>;
    if (Array.isArray(columns) && Array.isArray(rows))
      return [{ name: inner, table: { columns, rows } }];
    return tablesIn(value as Answer, inner);
  });
}

function tableShown({
  name,
  table: { columns, rows },
}: {
  name: string;
  table: Table;
}): HTMLElement {
  const shown = rows.slice(-MOST_ROWS);
  const cut =
    rows.length > shown.length ? `, the last ${shown.length} of ${rows.length}` : '';

  const line = (tag: string, cells: readonly unknown[]) =>
    element(
      'tr',
      '',
      ...cells.map((cell) =>
        element(tag, tag === 'th' ? words(String(cell)) : text(cell)),
      ),
    );

  return element(
    'details',
    '',
    element('summary', `${words(name)}${cut}`),
    element('table', '', line('th', columns), ...shown.map((row) => line('td', row))),
  );
}

function element(tag: string, content: string, ...children: Node[]): HTMLElement {
  const made = document.createElement(tag);
  made.append(content, ...children);
  return made;
}

function drawn(tag: string, attributes: Record<string, string>): Element {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

const words = (name: string) =>
  name
    .replaceAll('_', ' ')
    .replace('pnl', 'P&L')
    .replace(/^./, (first) => first.toUpperCase());

/** A value as the answer has it: the view shows the same data as the text. */
function text(value: unknown): string {
  return typeof value === 'number'
    ? value.toLocaleString(undefined, { maximumFractionDigits: 8 })
    : String(value);
}
