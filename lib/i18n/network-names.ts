// The names by which people know networks and their token standards. A newly added network uses its own name until the
// catalogues have a better one.

type Names = {
  readonly name: string;
  /** What exchanges call its tokens ("TRC20"); the network's name if there is no such term. */
  readonly standard: string;
};

/** Looks up a network's names. `say` returns the text of a message key, or null when the catalogue has none. */
export function networkNames(say: (key: string) => string | null, network: string): Names {
  const plain = `${network.charAt(0).toUpperCase()}${network.slice(1)}`;
  const name = say(`network${plain}`) ?? plain;
  return { name, standard: say(`standard${plain}`) ?? name };
}
