/** A figure with its name; how it is computed shows on hover and focus. */
import { useId } from 'preact/hooks';

interface FigureProps {
  name: string;
  value: string;
  tone?: string;
  /** The same of the period before, or what else puts it into proportion. */
  beside?: string | undefined;
  range?: string | null;
  formula: string;
  class?: string;
}

export function Figure({ name, value, tone = '', beside, range = null, formula, class: more = '' }: FigureProps) {
  const id = useId();
  return (
    <div class={`figure ${more}`}>
      <dt>
        <button type="button" class="figure-name" aria-describedby={id}>
          {name}
        </button>
        <span role="tooltip" id={id} class="tooltip">
          {formula}
        </span>
      </dt>
      <dd class={`figure-value ${tone}`} style={{ '--length': value.length }}>
        {value}
      </dd>
      {range !== null && <dd class="figure-beside">{range}</dd>}
      {beside !== undefined && <dd class="figure-beside">{beside}</dd>}
    </div>
  );
}
