// Property tests draw the same values for each mutant. Otherwise a mutant could survive one run and not the next.

import fc from 'fast-check';

fc.configureGlobal({ seed: 20_261_127 });
