/** The program of a thread that reads the journal. */
import { schemaProblem } from '../journal/journal.ts';
import { overlayOf } from '../journal/lens-views.ts';
import type { KnownSymbols } from '../journal/pseudonyms.ts';
import { signWith } from '../keys/secret.ts';
import { PictureFolder } from '../pictures/kept-pictures.ts';
import { WatchedFile } from '../sqlite/watched-file.ts';
import { answerQuestions } from '../threads/thread.ts';
import { answer } from './answer.ts';
import {
  movedParts,
  type SentAnswer,
  type SentQuestion,
  sentBody,
  sentError,
  type ThreadSettings,
} from './read-threads.ts';
import type { KeyRoute } from './route.ts';
import { ROUTES } from './routes.ts';

answerQuestions((settings: ThreadSettings) => {
  // Another thread tells when the file has changed.
  const journal = new WatchedFile(settings.journal, schemaProblem);
  const pictures = PictureFolder.of(settings.journal);
  return {
    answer(sent: SentQuestion, isWanted): SentAnswer {
      const { path, cursorKey, version, isCompressed, ...question } = sent;
      const { seed } = question.key;
      // Messages turn a Buffer into a plain array of bytes.
      const key = { ...question.key, seed: seed && Buffer.from(seed) };
      const route = ROUTES.find((candidate) => candidate.path === path) as KeyRoute;
      const signCursor = signWith(cursorKey);
      const answering = { routes: ROUTES, signCursor, isShort: false, pictures };
      const overlay = key.lens ? overlayOf(key.lens, key) : undefined;

      try {
        const found = journal.read(
          version,
          (reader) => answer(reader, route, { ...question, key }, answering),
          {
            overlay,
            isWanted,
          },
        );
        const symbols = overlay?.fact && journal.factOf(version, overlay.fact);
        return sentBody(found, isCompressed, symbols as KnownSymbols | undefined);
      } catch (error) {
        return sentError(error);
      }
    },
    moved: movedParts,
    rest: () => journal.rest(),
  };
});
