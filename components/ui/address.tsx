// An address on a chain for human eyes: groups of four, its ends emphasized, one piece when it is selected or copied.

const GROUP = 4;
/** What people compare: the first and the last groups. */
const EMPHASIZED = 2;

/** The groups are separate only to the eye (CSS margins); `data-address` holds the text whole for whoever reads the HTML. */
export function Address({ text }: { text: string }) {
  const groups = groupsOf(text);
  return (
    <code className="address" dir="ltr" translate="no" data-address={text}>
      {groups.map((group, at) => (
        <span key={at} className={at < EMPHASIZED || at >= groups.length - EMPHASIZED ? 'address-end' : undefined}>
          {group}
        </span>
      ))}
    </code>
  );
}

/** `0x` stays with the first group. */
function groupsOf(text: string): string[] {
  const head = text.startsWith('0x') ? 2 + GROUP : GROUP;
  const groups = [text.slice(0, head)];
  for (let at = head; at < text.length; at += GROUP) groups.push(text.slice(at, at + GROUP));
  return groups;
}
