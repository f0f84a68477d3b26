// The stylesheet of the sandbox's mailbox; no page that customers see loads it.

import type { ReactNode } from 'react';
import './mailbox.css';

export default function MailboxLayout({ children }: { children: ReactNode }) {
  return children;
}
