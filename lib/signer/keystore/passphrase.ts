// Encrypts a small secret under a passphrase with Node's own cryptography: scrypt derives the key, AES-256-GCM encrypts
// and authenticates. The parameters belong to file format version 1 and are therefore constants.

import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';

/** 128 MiB and about half a second per guess (OWASP's first choice for scrypt). */
const KDF = { name: 'scrypt', N: 131_072, r: 8, p: 1 } as const;
const CIPHER = 'aes-256-gcm';
/** Binds a ciphertext to its purpose. */
const PURPOSE = Buffer.from('stabletill keystore 1');

/** As written to the file; bytes in base64. */
export type Sealed = {
  readonly kdf: typeof KDF & { readonly salt: string };
  readonly cipher: { readonly name: typeof CIPHER; readonly iv: string; readonly tag: string; readonly data: string };
};

/** Encrypts under a key made from the passphrase and a new salt. */
export async function sealWithPassphrase(secret: Uint8Array, passphrase: string): Promise<Sealed> {
  const salt = randomBytes(32);
  const iv = randomBytes(12);
  const cipher = createCipheriv(CIPHER, await keyOf(passphrase, salt), iv);
  cipher.setAAD(PURPOSE);
  const data = Buffer.concat([cipher.update(secret), cipher.final()]);
  return {
    kdf: { ...KDF, salt: salt.toString('base64') },
    cipher: {
      name: CIPHER,
      iv: iv.toString('base64'),
      tag: cipher.getAuthTag().toString('base64'),
      data: data.toString('base64'),
    },
  };
}

/** Decrypts; null when the passphrase is wrong or the bytes were altered. */
export async function openWithPassphrase({ kdf, cipher }: Sealed, passphrase: string): Promise<Buffer | null> {
  const key = await keyOf(passphrase, Buffer.from(kdf.salt, 'base64'));
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(cipher.iv, 'base64'), { authTagLength: 16 });
  decipher.setAAD(PURPOSE);
  decipher.setAuthTag(Buffer.from(cipher.tag, 'base64'));
  const data = decipher.update(Buffer.from(cipher.data, 'base64'));
  try {
    return Buffer.concat([data, decipher.final()]);
  } catch {
    return null;
  }
}

/** Normalize the passphrase, so that the same accents typed differently give the same key. */
function keyOf(passphrase: string, salt: Buffer): Promise<Buffer> {
  const { N, r, p } = KDF;
  const options = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
