// Cuts an address into groups of four and emphasizes as many groups at its end as at its start.

const GROUP = 4;
/** The number of groups at each end that people compare. */
const EMPHASIZED = 2;

type Group = { readonly text: string; readonly isEnd: boolean };

/** `0x` stays with the first group. An incomplete group is in the middle, where people do not compare. */
export function addressGroups(text: string): Group[] {
  const head = text.startsWith('0x') ? 2 : 0;
  const start = head + EMPHASIZED * GROUP;
  const end = Math.max(start, text.length - EMPHASIZED * GROUP);
  const cuts = [0, head + GROUP, start];
  for (let at = start + ((end - start) % GROUP || GROUP); at < end; at += GROUP) cuts.push(at);
  cuts.push(end, end + GROUP, text.length);
  return cuts.flatMap((from, n) => {
    const group = text.slice(from, cuts[n + 1] ?? from);
    return group === '' ? [] : [{ text: group, isEnd: from < start || from >= end }];
  });
}
