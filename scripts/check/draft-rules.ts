// The architecture rules about drafts: the chains' own libraries write them in the worker, and the signer reads them with code that shares
// nothing with the writers. A mistake of one side then shows as a refused draft and never as a wrong payment.

import type { Rule } from './architecture-rules';
import type { Source } from './source-tree';

const WRITER = /^lib\/networks\/families\/[^/]+\/(?:sending\/write-draft|squads\/write-proposal)\.ts$/;
const READER =
  /^lib\/(signer\/(?!.*\.test\.)|cold-storage\/offline\/(?!.*\.test\.)|networks\/families\/drafts\.ts|networks\/families\/[^/]+\/(?:sending\/read-draft|squads\/read-proposal)\.ts)/;
/** The error classes of sending: the only code of ours that a writer runs. */
const ERRORS = 'lib/networks/sending/send.ts';
const PRODUCT = /^(lib\/|app\/|components\/|(server|server-pages|proxy|instrumentation)\.ts$)/;
/** Each takes tens of megabytes and a good part of a second to load (docs/dependencies.md). */
const HEAVY = new Set(['tronweb', '@solana/web3.js', '@solana/spl-token']);

/** A writer runs no code of ours, and no reader reaches a writer, not even through other files. */
export const draftsHaveTwoAuthors: Rule = (sources) => {
  const found = new Map(sources.map((one) => [one.path, one]));
  const borrowed = sources
    .filter((one) => WRITER.test(one.path))
    .flatMap((one) => loaded(one).flatMap((file) => (file === ERRORS ? [] : [`${one.path} runs code of ${file}`])));
  const reached = sources
    .filter((one) => READER.test(one.path))
    .flatMap((one) =>
      reachedFrom(one, found).flatMap((file) => (WRITER.test(file) ? [`${one.path} reaches ${file}`] : [])),
    );
  return [...borrowed, ...reached];
};

/** The files of ours that run when this one does. */
const loaded = (source: Source): string[] =>
  source.imports.flatMap(({ file, typeOnly }) => (file === null || typeOnly ? [] : [file]));

function reachedFrom(start: Source, found: ReadonlyMap<string, Source>): string[] {
  const seen = new Set(loaded(start));
  // A set iterates over what is added meanwhile.
  for (const path of seen) for (const next of loaded(found.get(path) ?? { ...start, imports: [] })) seen.add(next);
  return [...seen];
}

/** The heavy libraries load in writers, when the first draft is written. Of ethers, only the parts that are used are loaded. */
export const chainLibrariesLoadLazily: Rule = (sources) =>
  sources
    .filter(({ path }) => PRODUCT.test(path) && !/\.test\.tsx?$/.test(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ typeOnly }) => !typeOnly)
        .filter(
          (one) => one.specifier === 'ethers' || (HEAVY.has(one.package ?? '') && !(one.isLazy && WRITER.test(path))),
        )
        .map(({ specifier }) => `${path} loads ${specifier}`),
    );
