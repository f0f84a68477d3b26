// The script of the hosted page. The server renders the whole page, which works without it; this adds live behaviour.

import { AutoReturn } from './auto-return';
import { BrowserWallets } from './browser-wallets';
import { copyForWallets, CopyText } from './copy-text';
import { LiveStatus } from './live-status';
import { LocalHour } from './local-hour';
import { followChoices, followLanguages } from './redraw';
import { StatusReport } from './status-report';

customElements.define('copy-text', CopyText);
customElements.define('browser-wallets', BrowserWallets);
customElements.define('live-status', LiveStatus);
customElements.define('local-hour', LocalHour);
customElements.define('status-report', StatusReport);
customElements.define('auto-return', AutoReturn);
copyForWallets();
followLanguages();
followChoices();
