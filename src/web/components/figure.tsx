/** A figure with its name; the formula shows on hover and focus. */
import { useId } from 'preact/hooks';

interface FigureProps {
  name: string;
  value: string;
  tone?: string;
  /** The value of the previous period. */
  previous?: string | undefined;
  /** The trades it is made of, if not all. */
  sample?: string | null;
  range?: string | null;
  formula: string;
  class?: string;
}

export function Figure({
  name,
  value,
  tone = '',
  previous,
  sample = null,
  range = null,
  formula,
  class: more = '',
}: FigureProps) {
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
      {sample !== null && <dd class="figure-previous">{sample}</dd>}
      {range !== null && <dd class="figure-previous">{range}</dd>}
      {previous !== undefined && <dd class="figure-previous">{previous}</dd>}
    </div>
  );
}
