// An address on a chain for human eyes: groups of four, its ends emphasized, one piece when it is selected or copied.

import { addressGroups } from './address-groups';

/** The groups are separate only to the eye (CSS margins); `data-address` holds the whole text for programs that read the HTML. */
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
