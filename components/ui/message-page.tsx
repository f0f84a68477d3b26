// A page that says one thing: not found, went wrong. It has the product's mark, the one thing to do, and what a foot holds.

import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon';
import { ProductMark } from './marks';

type Props = {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  /** The product's name; without it its mark stands alone and leads nowhere. */
  readonly product?: string;
  readonly foot?: ReactNode;
  /** What can be done. */
  readonly children: ReactNode;
};

export function MessagePage({ icon, title, text, product, foot, children }: Props) {
  return (
    <div className="message-page">
      <header>
        {product === undefined ? (
          <ProductMark />
        ) : (
          <a className="product" href="/">
            <ProductMark /> {product}
          </a>
        )}
      </header>
      <main className="panel">
        <span className="message-icon">
          <Icon name={icon} size={24} />
        </span>
        <h1>{title}</h1>
        <p>{text}</p>
        <p className="actions">{children}</p>
      </main>
      {foot !== undefined && <footer className="foot">{foot}</footer>}
    </div>
  );
}
