/** A chart's figures as a table, for screen readers and for exact numbers. Its rows are rendered when it is opened. */
import { useState } from 'preact/hooks';
import { useSession } from '../session.ts';
import { Scroll } from './scroll.tsx';

interface TableBehindProps {
  caption: string;
  columns: readonly string[];
  rows: () => readonly (readonly string[])[];
}

export function TableBehind({ caption, columns, rows }: TableBehindProps) {
  const { isReport = false } = useSession();
  const [isOpen, setOpen] = useState(isReport);
  return (
    <details class="table-behind" onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>
        Show as a table<span class="unseen">: {caption}</span>
      </summary>
      {isOpen && (
        <Scroll label={caption}>
          <table class="plain">
            <caption class="unseen">{caption}</caption>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th scope="col" key={column}>
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows().map((cells) => (
                <tr key={cells[0]}>
                  {cells.map((cell, index) =>
                    index === 0 ? <th scope="row">{cell}</th> : <td key={columns[index]}>{cell}</td>,
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </details>
  );
}
