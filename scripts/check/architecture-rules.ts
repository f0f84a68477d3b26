// The architecture rules, as pure functions from the parsed sources to sentences that describe violations. The tables
// at the top and library-edges.ts define the architecture.

import { LIB_EDGES } from './library-edges';
import type { Import, Source } from './source-tree';

/** Folders of lib that pages and components must not import; pages call use-cases. */
const BEHIND_PAGES = ['lib/worker', 'lib/payments/watcher', 'lib/signer', 'testing'];

/** The only files outside the worker that may import it, and what: the cron route runs its steps once, bounded. */
const WORKER_PASS = /^lib\/worker\/(steps|run-once)$/;
const RUNS_STEPS = /^(app\/api\/cron\/route|lib\/api\/cron)\.ts$/;

/** Files that may read the environment: settings, the SDK's command, programs that start or configure, and tests. */
const READS_SETTINGS =
  /^(packages\/sdk\/src\/cli\.ts|instrumentation\.ts|lib\/(platform\/config\/config|signer\/settings)\.ts|testing\/global-setup\.ts|simulation\/command\.ts|.*\.test\.m?ts|scripts\/.*|sandbox\/(.*\/)?(main|settings)\.m?ts|e2e\/.*|[a-z.]+\.config\.(ts|mts|mjs))$/;

/**
 * Files that may read the machine's clock. Browser code has no caller to inject a clock. The SDK takes an optional
 * clock and reads the machine's in one file.
 */
const READS_CLOCK =
  /^(lib\/platform\/clock\.ts|packages\/sdk\/src\/platform\.ts|testing\/.*|simulation\/.*|.*\.test\.m?ts|scripts\/.*|sandbox\/.*|e2e\/.*)$/;

/** House style is 200 lines at most; the check allows a little more, so that a full stop does not fail a build. */
const MAX_LINES = 250;
/** Tests are tables of cases; splitting a table does not make it easier to read. */
const MAX_TEST_LINES = 400;
/** The most files in one folder of lib. */
const MAX_SIBLINGS = 16;

const isTest = (path: string): boolean => /\.test\.(ts|tsx|mts)$/.test(path) || path.startsWith('testing/');
const at = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
const bare = (path: string): string => path.replace(/\.(ts|tsx|mts|mjs)$/, '');
/** The room of a file of lib: the longest key of the edge table that prefixes its path. Null outside of lib. */
const roomOf = (path: string): string | null =>
  Object.keys(LIB_EDGES)
    .filter((room) => at(path, `lib/${room}`))
    .toSorted((one, other) => other.length - one.length)[0] ?? null;

const DATABASE = 'lib/platform/database/db';
/** Modules that a component never imports: a page reads data and passes it on. */
const HANDED_TO_COMPONENTS = [DATABASE, 'lib/platform/config/config', 'lib/platform/log'];
/** The parts of the signer that others may use: its client, and the facts that are proven to it. */
const isOpenSigner = (path: string): boolean =>
  bare(path) === 'lib/signer/client' || at(path, 'lib/signer/attestations');

export type Rule = (sources: readonly Source[]) => string[];

/** Edges between folders point down only. */
export const importsPointDown: Rule = (sources) =>
  localImports(sources).flatMap(([source, file]) => {
    const why = forbidden(source.path, file);
    return why === null ? [] : [`${source.path} imports ${file}: ${why}`];
  });

/** Makes certificates with `node:crypto` alone. A browser story that needs TLS learns nothing about the product. */
const CERTIFICATES = 'testing/receivers/receiver-certificate';

function forbidden(from: string, to: string): string | null {
  if (at(from, 'e2e') && bare(to) === CERTIFICATES) return null;
  if (at(to, 'simulation')) return at(from, 'simulation') ? null : 'nothing depends on the simulator';
  if (at(to, 'testing')) {
    const mayUse = isTest(from) || at(from, 'simulation') || at(from, 'scripts/bench');
    return mayUse ? null : 'only tests, the simulator and benchmarks may';
  }
  if (at(from, 'packages')) return isTest(from) || at(to, 'packages') ? null : 'a published package stands alone';
  if (at(to, 'packages')) return 'a published package is imported by its name';
  if (at(from, 'lib')) return forbiddenInLib(from, to);
  if (at(from, 'components')) return forbiddenInComponents(from, to);
  if (at(from, 'e2e')) return at(to, 'e2e') || at(to, 'messages') ? null : 'browser tests see the product from outside';
  if (at(to, 'lib/worker') && at(from, 'app') && !(RUNS_STEPS.test(from) && WORKER_PASS.test(bare(to)))) {
    return 'nothing imports the worker but the cron route its steps';
  }
  const runsSigner = at(from, 'scripts/bench') || at(from, 'testing') || at(from, 'simulation');
  if (at(to, 'lib/signer') && !isOpenSigner(to) && !runsSigner) {
    return 'only signer/client and attestations are for others';
  }
  if (at(from, 'app') || /^(server|server-pages|proxy|instrumentation)\.ts$/.test(from))
    return forbiddenInApp(from, to);
  return null;
}

function forbiddenInApp(from: string, to: string): string | null {
  if (at(to, 'sandbox') || at(to, 'e2e') || at(to, 'scripts')) return 'the product knows nothing of its surroundings';
  if (at(to, 'lib/worker') && RUNS_STEPS.test(from)) return null;
  if (isOpenSigner(to)) return null;
  return BEHIND_PAGES.some((folder) => at(to, folder)) ? 'pages call use cases' : null;
}

function forbiddenInComponents(from: string, to: string): string | null {
  if (at(to, 'messages') || at(to, 'lib/i18n') || bare(to) === 'lib/platform/security/page-cookies') return null;
  if (at(from, 'components/ui')) return at(to, 'components/ui') ? null : 'primitives know nothing of payments';
  if (at(to, 'components')) {
    const [mine, theirs] = [from, to].map((path) => path.split('/')[1]);
    // The operator console uses the dashboard's frame.
    const isConsole = mine === 'operator' && theirs === 'dashboard';
    return theirs === mine || theirs === 'ui' || isConsole ? null : 'one feature does not use another one’s components';
  }
  if (!at(to, 'lib')) return 'components use components and lib only';
  if (HANDED_TO_COMPONENTS.includes(bare(to))) return 'a component is given what it shows';
  return BEHIND_PAGES.some((folder) => at(to, folder)) ? 'a component is given what it shows' : null;
}

function forbiddenInLib(from: string, to: string): string | null {
  if (at(to, 'app') || at(to, 'components') || /^(server|server-pages|proxy|instrumentation)\.ts$/.test(to))
    return 'lib does not know its callers';
  if (isTest(from)) return null;
  if (at(to, 'sandbox') || at(to, 'scripts') || at(to, 'e2e')) return 'absent from the production image';
  if (!at(to, 'lib')) return null;
  const [mine, theirs] = [roomOf(from), roomOf(to)];
  if (mine === null || theirs === null) return 'every file of lib is in a room of the table';
  if ((mine === 'networks' || mine === 'signer') && bare(to) === DATABASE) return `${mine} never touches the database`;
  if (theirs === mine || theirs === 'platform') return null;
  if (theirs === 'worker') {
    return RUNS_STEPS.test(from) && WORKER_PASS.test(bare(to)) ? null : 'nothing imports the worker';
  }
  if (at(to, 'lib/signer') && mine !== 'signer' && !isOpenSigner(to))
    return 'only signer/client and attestations are for others';
  if (mine === 'platform') return 'platform knows nothing above it';
  if (mine === 'signer' && theirs === 'signer/attestations') return null;
  const allowed = LIB_EDGES[mine] ?? [];
  const target = bare(to).slice('lib/'.length);
  return allowed.some((edge) => target === edge || at(target, edge))
    ? null
    : `${mine} may use only ${allowed.join(', ') || 'platform'}`;
}

function localImports(sources: readonly Source[]): [Source, string, Import][] {
  return sources.flatMap((source) =>
    source.imports.flatMap((one): [Source, string, Import][] => (one.file === null ? [] : [[source, one.file, one]])),
  );
}

/** Importing from a file never leads back to it, types included. */
export const noCycles: Rule = (sources) => {
  const edges = new Map(
    sources.map((one) => [one.path, one.imports.flatMap(({ file }) => (file === null ? [] : [file]))]),
  );
  const done = new Set<string>();
  const faults: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      faults.push(`a cycle: ${[...trail.slice(trail.indexOf(path)), path].join(' → ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of sources) walk(path, []);
  return faults;
};

/** A file that only re-exports hides where things are. Route files may re-export their handler. */
export const noBarrels: Rule = (sources) =>
  sources
    .filter(
      (one) =>
        /(^|\/)index\.(ts|tsx|mts)$/.test(one.path) ||
        one.exportsAll ||
        (one.onlyReexports && !one.path.endsWith('/route.ts')),
    )
    .map((one) => `${one.path} is a barrel file`);

/** Production code imports only packages that are installed in production. */
export const noDevelopmentPackages =
  (dependencies: ReadonlySet<string>): Rule =>
  (sources) =>
    sources
      .filter(
        (one) =>
          !isTest(one.path) &&
          /^(lib\/|app\/|components\/|(server|server-pages|proxy|instrumentation)\.ts$)/.test(one.path),
      )
      .flatMap((one) =>
        one.imports
          .filter((it) => it.package !== null && !it.package.startsWith('node:') && !it.typeOnly)
          .filter((it) => !dependencies.has(it.package ?? ''))
          .map((it) => `${one.path} imports ${it.specifier}, which is not in "dependencies"`),
      );

export const settingsOnlyInConfig: Rule = (sources) =>
  usesOutside(sources, 'settings', READS_SETTINGS, 'reads process.env');

export const clockOnlyInjected: Rule = (sources) =>
  usesOutside(
    sources.filter((one) => !(isTest(one.path) || one.directives.includes('use client'))),
    'clock',
    READS_CLOCK,
    'asks the machine for the time',
  );

export const noRawHtml: Rule = (sources) => usesOutside(sources, 'html', /^$/, 'inserts HTML unescaped');

function usesOutside(sources: readonly Source[], what: string, allowed: RegExp, saying: string): string[] {
  return sources
    .filter((one) => !allowed.test(one.path))
    .flatMap((one) => one.uses.filter((use) => use.what === what).map((use) => `${one.path}:${use.line} ${saying}`));
}

/** Parts of Next through which published attacks came (docs/architecture.md#nextjs). */
export const noDangerousNext: Rule = (sources) =>
  sources.flatMap((one) => [
    ...one.directives.filter((it) => /^use (server|cache)/.test(it)).map((it) => `${one.path} says '${it}'`),
    ...one.imports
      .filter((it) => /^next\/(image|og|legacy)/.test(it.specifier))
      .map((it) => `${one.path} imports ${it.specifier}`),
    ...(/edge/.test(one.runtime ?? '') ? [`${one.path} asks for the Edge runtime`] : []),
    ...(/^(src\/)?middleware\.(ts|mts|mjs|js)$/.test(one.path) ? [`${one.path} decides before the handlers do`] : []),
    ...(one.path.startsWith('next.config.') ? nextConfigFaults(one) : []),
  ]);

function nextConfigFaults({ path, propertyNames }: Source): string[] {
  const forbiddenOnes = ['rewrites', 'serverActions', 'cacheComponents', 'useCache'].filter((name) =>
    propertyNames.has(name),
  );
  return [
    ...forbiddenOnes.map((name) => `${path} sets ${name}`),
    ...(propertyNames.has('unoptimized') ? [] : [`${path} leaves the image optimizer on`]),
  ];
}

export const filesStayShort: Rule = (sources) =>
  sources.flatMap(({ path, lines }) => {
    const most = isTest(path) ? MAX_TEST_LINES : MAX_LINES;
    return lines > most ? [`${path} has ${lines} lines, more than ${most}`] : [];
  });

/** A test file may begin with its cases: their names state its subject. */
export const filesBeginWithComment: Rule = (sources) =>
  sources
    .filter((one) => !isTest(one.path) && !one.beginsWithComment)
    .map((one) => `${one.path} does not begin with a comment that says what it owns`);

/** A folder holds few enough files to read at a glance. Tests stand beside the code and are not counted. */
export const foldersStaySmall: Rule = (sources) => {
  const counts = new Map<string, number>();
  for (const { path } of sources.filter((one) => at(one.path, 'lib') && !isTest(one.path))) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_SIBLINGS)
    .map(([folder, count]) => `${folder} has ${count} files, more than ${MAX_SIBLINGS}`);
};
