/** Names what failed once more, as the last lines of a run, where the end of a long output alone is kept. */
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const MOST_CHARACTERS = 300;

export function listFailures(): Reporter {
  return {
    onTestRunEnd(modules, errors) {
      const failures = [
        ...modules.flatMap((module) => failuresOf(module)),
        ...errors.map(({ message }) => briefly(message)),
      ];
      if (failures.length > 0)
        process.stdout.write(
          `\nFailed:\n${failures.map((line) => `  ${line}\n`).join('')}`,
        );
    },
  };
}

function failuresOf(module: TestModule): string[] {
  const file = module.relativeModuleId;
  const ofTests = [...module.children.allTests('failed')].map(
    (test) => `${file} > ${test.fullName}: ${reasonOf(test)}`,
  );
  // What runs before or after all tests of a file or group fails there.
  const others = [module, ...module.children.allSuites()].flatMap((part) =>
    part.errors(),
  );
  return [...ofTests, ...others.map(({ message }) => `${file}: ${briefly(message)}`)];
}

function reasonOf(test: TestCase): string {
  const [first] = test.result().errors ?? [];
  return briefly(first?.message ?? 'no reason');
}

function briefly(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, MOST_CHARACTERS);
}
