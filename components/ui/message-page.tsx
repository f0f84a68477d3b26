// A page with one message, such as "not found" or an error: the product's mark, the one action, and a footer.

import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon';
import { ProductMark } from './marks';

type Props = {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  /** The product's name; without it the mark stands alone and is not a link. */
  readonly product?: string | undefined;
  readonly foot?: ReactNode;
  /** The possible actions. */
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
