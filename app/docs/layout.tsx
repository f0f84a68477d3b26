// The documentation's own stylesheet; the payment page does not load it.

import type { ReactNode } from 'react';
import './docs.css';

export default function DocsLayout({ children }: { children: ReactNode }) {
  return children;
}
