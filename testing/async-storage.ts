// What Next sets before it loads anything of its own, so that its replacement of `console` works in a process that other test files share.

import { AsyncLocalStorage } from 'node:async_hooks';

Object.assign(globalThis, { AsyncLocalStorage });
