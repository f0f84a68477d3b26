// The names that people know networks and their token standards by. A network that was only just added to the table goes by
// its own name until the catalogues have a better one.

type Names = {
  readonly name: string;
  /** What exchanges call its tokens ("TRC20"); the network's name where it has no own word. */
  readonly standard: string;
};

/** Looks a network's names up; `say` answers the text of a message key, or null when the catalogue has none. */
export function networkNames(say: (key: string) => string | null, network: string): Names {
  const plain = `${network.charAt(0).toUpperCase()}${network.slice(1)}`;
  const name = say(`network${plain}`) ?? plain;
  return { name, standard: say(`standard${plain}`) ?? name };
}
