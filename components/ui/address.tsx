// An on-chain address for display: groups of four, emphasized ends, one piece when selected or copied.

import { addressGroups } from './address-groups';

/** CSS margins separate the groups; `data-address` holds the whole text for programs that read the HTML. */
export function Address({ text }: { text: string }) {
  return (
    <code className="address" dir="ltr" translate="no" data-address={text}>
      {addressGroups(text).map(({ text: group, isEnd }, at) => (
        <span key={at} className={isEnd ? 'address-end' : undefined}>
          {group}
        </span>
      ))}
    </code>
  );
}
