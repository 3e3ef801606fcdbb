/**
 * A period as one HTML file for a mentor or a friend: the dashboard's own views, rendered
 * once, open and whole. The file loads nothing and runs no script. The program runs this
 * in a bundle of its own (build/assets.mjs).
 */
import { options, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Api, addressOf, type Query } from './api.ts';
import { boundsOf, hasFigures } from './days.ts';
import { formatsOf, plural } from './format.ts';
import type { Place } from './router.ts';
import {
  hidesMoney,
  type Session,
  SessionContext,
  UnitContext,
  useSession,
} from './session.ts';
import type { FirstFigures, ReportRequest } from './types.ts';
import { Breakdowns } from './views/breakdowns.tsx';
import { Outlook } from './views/outlook.tsx';
import {
  askedOf,
  Details,
  Habits,
  NotCounted,
  useFirstFigures,
} from './views/overview.tsx';
import { ReportDays } from './views/report-days.tsx';
import { FirstPage } from './views/report-first.tsx';

/** @returns the whole file */
export async function renderReport({
  ask,
  me,
  period,
  unit,
  styles,
  hash,
  now,
  picture,
}: ReportRequest): Promise<string> {
  const api = new PreparedApi();
  const format = formatsOf(me.user);
  const pictures = picture && new PreparedPictures(picture);
  const base = { api, me, format, refreshes: 0, isReport: true };
  const session: Session = pictures ? { ...base, pictures } : base;

  for (;;) {
    rules.clear();
    const body = renderToString(
      <SessionContext.Provider value={session}>
        <Report period={period} unit={unit} now={now} />
      </SessionContext.Provider>,
    );
    if (!api.isComplete) await api.load(ask);
    else if (pictures?.areMissing) await pictures.load();
    else return fileOf(body, { styles, hash, hasPictures: pictures !== undefined });
  }
}

/**
 * Responses that were asked for before: the views are rendered until they find all of
 * them.
 */
class PreparedApi extends Api {
  readonly #bodies = new Map<string, unknown>();
  readonly #missing = new Set<string>();

  constructor() {
    super('');
  }

  get isComplete(): boolean {
    return this.#missing.size === 0;
  }

  override remembered<T>(path: string, query: Query = {}): T | undefined {
    const address = addressOf(path, query);
    if (!this.#bodies.has(address)) this.#missing.add(address);
    return this.#bodies.get(address) as T | undefined;
  }

  async load(ask: ReportRequest['ask']): Promise<void> {
    for (const address of this.#missing)
      this.#bodies.set(address, await ask(`/${address}`));
    this.#missing.clear();
  }
}

/** Pictures that were asked for before, like responses. */
class PreparedPictures {
  readonly #loaded = new Map<string, string | undefined>();
  readonly #missing = new Set<string>();
  readonly #picture: NonNullable<ReportRequest['picture']>;

  constructor(picture: NonNullable<ReportRequest['picture']>) {
    this.#picture = picture;
  }

  get areMissing(): boolean {
    return this.#missing.size > 0;
  }

  get(url: string): string | undefined {
    if (!this.#loaded.has(url)) this.#missing.add(url);
    return this.#loaded.get(url);
  }

  async load(): Promise<void> {
    for (const url of this.#missing) this.#loaded.set(url, await this.#picture(url));
    this.#missing.clear();
  }
}

/**
 * Classes in place of style attributes, which the file's policy forbids, by their
 * declarations.
 */
const rules = new Map<string, string>();

// Before an element is rendered: without the script behind it.
options.vnode = (vnode: VNode) => {
  const props = vnode.props as Record<string, unknown>;
  if (typeof vnode.type !== 'string') return;

  // Another view of the dashboard, with the id of a trade.
  if (vnode.type === 'a' && String(props['href']).startsWith('#/'))
    props['href'] = undefined;
  if (props['style']) {
    const style = Object.entries(props['style']).map(
      ([name, value]) => `${name}:${value}`,
    );
    const text = style.join(';').replaceAll(/[^\w\s:;%.-]/g, '');
    const name = rules.get(text) ?? `s${rules.size}`;
    rules.set(text, name);
    props['class'] = `${props['class'] ?? ''} ${name}`.trim();
    props['style'] = undefined;
  }
};

function fileOf(
  body: string,
  {
    styles,
    hash,
    hasPictures,
  }: Pick<ReportRequest, 'styles' | 'hash'> & { hasPictures: boolean },
): string {
  const all = styles + [...rules].map(([text, name]) => `.${name}{${text}}`).join('');
  const images = hasPictures ? 'img-src data:; ' : '';
  const policy = `default-src 'none'; ${images}style-src 'sha256-${hash(all)}'; base-uri 'none'; form-action 'none'`;
  const head = renderToString(
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content={policy} />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="referrer" content="no-referrer" />
      <title>Trading journal</title>
      <style dangerouslySetInnerHTML={{ __html: all }} />
    </head>,
  );
  return `<!doctype html>\n<html lang="en">${head}<body>${body}</body></html>\n`;
}

function Report({ period, unit, now }: Pick<ReportRequest, 'period' | 'unit' | 'now'>) {
  const { me, format } = useSession();
  const place = {
    view: 'overview',
    id: null,
    query: { period, unit },
    isHome: false,
  } as const;
  const figures = useFirstFigures(place).body?.data;
  if (!figures) return null;

  return (
    <main class="view stack">
      <Cover figures={figures} now={now} />
      {hasFigures(figures, hidesMoney(me)) ? (
        <UnitContext.Provider value={unit}>
          <FirstPage figures={figures} place={place} />
          <Rest figures={figures} place={place} />
        </UnitContext.Provider>
      ) : (
        <p class="card box">
          No trade was closed in this period
          {me.extent.trades
            ? `, or none has an exchange rate. The journal has trades from ${format.day(me.extent.trades.first)} to ${format.day(me.extent.trades.last)}.`
            : ', and the journal has no other trades to show.'}
          {figures.open.trades > 0 &&
            ` ${plural(figures.open.trades, 'trade is', 'trades are')} still open.`}
        </p>
      )}
      <ReportDays period={figures.period} unit={unit} />
    </main>
  );
}

/** Groups of trades, and what they don't count. */
function Rest({ figures, place }: { figures: FirstFigures; place: Place }) {
  const { me } = useSession();
  return (
    <div class="rest stack">
      {!hidesMoney(me) && <Outlook asked={askedOf(place)} />}
      <Details figures={figures} place={place} sections={['breakdowns']} draw={Habits} />
      <Details
        figures={figures}
        place={place}
        sections={['breakdowns', 'groups', 'mistakes', 'rules']}
        draw={Breakdowns}
      />
      <Details
        figures={figures}
        place={place}
        sections={['data_quality']}
        draw={NotCounted}
      />
    </div>
  );
}

const HIDDEN_IN_WORDS = {
  money: 'amounts, quantities, balances, fees and risk: results are in R',
  texts: 'what was written, names and sources',
  symbols: 'prices, and symbols: each has a made-up name, new in each report',
} as const;

/** What the report covers, and what it hides. */
function Cover({ figures, now }: { figures: FirstFigures; now: string }) {
  const { me, format } = useSession();
  const { hides, in_words } = me.key.shows;
  const { first, last } = boundsOf(figures);

  return (
    <header class="cover">
      <h1>
        Trading journal, {format.day(first)}
        {first !== last && ` – ${format.day(last)}`}
      </h1>
      <p class="muted">
        {me.user.name && (
          <>
            <bdi>{me.user.name}</bdi> ·{' '}
          </>
        )}
        Shows {in_words} · days and times in {figures.period.timezone} · written{' '}
        {format.instant(now)}
      </p>
      {hides.map((name) => (
        <p class="muted" key={name}>
          Hidden: {HIDDEN_IN_WORDS[name]}.
        </p>
      ))}
      {hidesMoney(me) && !hides.includes('texts') && (
        <p class="muted">Texts are as written and may state amounts.</p>
      )}
      {!hidesMoney(me) && (
        <p>
          <strong>Amounts are shown.</strong>{' '}
          <span class="muted">
            Without them: <code>journal-api report --hide money</code>
          </span>
        </p>
      )}
    </header>
  );
}
