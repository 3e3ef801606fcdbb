/** A kept picture: fetched with the page's key when it comes into view. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from '../api.ts';
import { useSession } from '../session.ts';
import type { Attachment } from '../types.ts';

/** Addresses of pictures that the journal keeps. */
const KEPT = /^\/v1\/(attachments\/[0-9a-f]{64}\.[a-z]{3,4})$/;

export function isKept({ url }: Attachment): boolean {
  return KEPT.test(url);
}

export function Picture({ attachment }: { attachment: Attachment }) {
  const { pictures, isReport } = useSession();
  const { url, caption } = attachment;
  if (!isReport) return <FetchedPicture key={url} attachment={attachment} />;

  // A report has no other pictures than those that it takes along.
  const source = pictures?.get(url);
  if (source === undefined) return <span>{caption ?? 'Picture'}</span>;
  return <Figure attachment={attachment} source={source} />;
}

function FetchedPicture({ attachment }: { attachment: Attachment }) {
  const { api } = useSession();
  const frame = useRef<HTMLDivElement>(null);
  const [source, setSource] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const path = KEPT.exec(attachment.url)?.[1] ?? '';

  useEffect(() => {
    const abort = new AbortController();
    let made: string | undefined;
    let retry: ReturnType<typeof setTimeout>;

    const fail = (failure: unknown) => {
      if (abort.signal.aborted) return;
      if (!(failure instanceof Failure)) throw failure;
      if (failure.retryAfter !== null)
        retry = setTimeout(load, failure.retryAfter * 1000);
      else setProblem(failure.message);
    };

    const load = () => {
      const shown = (picture: Blob) => {
        made = URL.createObjectURL(picture);
        setSource(made);
      };
      api.picture(path, abort.signal).then(shown, fail);
    };

    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      load();
    });
    observer.observe(frame.current as HTMLDivElement);

    return () => {
      observer.disconnect();
      abort.abort();
      clearTimeout(retry);
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [api, path]);

  return (
    <div ref={frame}>
      <Figure attachment={attachment} source={source} />
      {problem !== undefined && <p class="nothing">Not shown: {problem}</p>}
    </div>
  );
}

/** @param source undefined: room for it */
function Figure({
  attachment,
  source,
}: {
  attachment: Attachment;
  source: string | undefined;
}) {
  const { caption, width = 0, height = 0 } = attachment;
  return (
    <figure class="picture">
      {source === undefined ? (
        <svg
          class="sunken"
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
        >
          <title>{caption ?? 'Picture'}</title>
        </svg>
      ) : (
        <img src={source} alt={caption ?? 'Picture'} width={width} height={height} />
      )}
      {caption !== null && (
        <figcaption class="fine">
          <bdi>{caption}</bdi>
        </figcaption>
      )}
    </figure>
  );
}
