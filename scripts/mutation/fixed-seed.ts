// Property tests draw the same values for each mutant. Otherwise a mutant could survive one run and not the next. A property ends after a
// second, so that none makes every mutant slow. A slower machine then draws fewer values, which can only lower a score.

import fc from 'fast-check';

fc.configureGlobal({ seed: 20_261_127, interruptAfterTimeLimit: 1_000 });
