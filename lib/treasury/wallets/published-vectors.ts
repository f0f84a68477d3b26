// The published addresses of two well-known mnemonics, for tests.

export const VECTORS = [
  {
    mnemonic: 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
    seed: '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4',
    evm: [
      '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
      '0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0',
      '0xb6716976A3ebe8D39aCEB04372f22Ff8e6802D7A',
    ],
    evmSecondAccount: '0x78839F6054d7ed13918bAe0473BA31b1Ca9D7265',
    tron: [
      'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
      'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
      'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx',
    ],
    tronSecondAccount: 'TLrpNTBuCpGMrB9TyVwgEhNVRhtWEQPHh4',
    solana: [
      'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
      'Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb',
      '7WktogJEd2wQ9eH2oWusmcoFTgeYi6rS632UviTBJ2jm',
    ],
    solanaElsewhere: {
      "m/44'/501'/0'": 'GjJyeC1r2RgkuoCWMyPYkCWSGSGLcz266EaAkLA27AhL',
      "m/44'/501'/1'": 'ANf3TEKFL6jPWjzkndo4CbnNdUNkBk4KHPggJs2nu8Xi',
      "m/44'/501'": 'D2PPQSYFe83nDzk96FqGumVU8JA7J8vj2Rhjc2oXzEi5',
      seed: 'EHqmfkN89RJ7Y33CXM6uCzhVeuywHoJXZZLszBHHZy7o',
    },
    firstKeys: {
      evm: '1ab42cc412b618bdea3a599e3c9bae199ebf030895b039e9db1e30dafb12b727',
      tron: 'b5a4cea271ff424d7c31dc12a3e43e401df7a40d7412a15750f3f0b6b5449a28',
      solana: '37df573b3ac4ad5b522e064e25b63ea16bcbe79d449e81a0268d1047948bb445',
    },
    evmXpubs: [
      'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
      'xpub6EF8jXqFeFEW5bwMU7RpQtHkzE4KJxcqJtvkCjJumzW8CPpacXkb92ek4WzLQXjL93HycJwTPUAcuNxCqFPKKU5m5Z2Vq4nCyh5CyPeBFFr',
    ],
    tronXpubs: [
      'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd',
      'xpub6EuK4CZWW5urEHdwAVDdDw327danAtccFcrXYvgf1DHrPXRwErt36xStQ2PNhn4hpwzPbzJ8pJVpewgChRnSs59q5Ay61GCfQZKUe71gbLq',
    ],
  },
  {
    mnemonic: 'test test test test test test test test test test test junk',
    seed: '9dfc3c64c2f8bede1533b6a79f8570e5943e0b8fd1cf77107adf7b72cef42185d564a3aee24cab43f80e3c4538087d70fc824eabbad596a23c97b6ee8322ccc0',
    evm: [
      '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    ],
    evmSecondAccount: '0x8C8d35429F74ec245F8Ef2f4Fd1e551cFF97d650',
    tron: [
      'TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6',
      'TPjjvMwjPoDC32V2dGDYTkLH4E5LAtBZ6C',
      'TB7mhtkvfhsRBRhe5FuRa4tFXSEyGDe4eA',
    ],
    tronSecondAccount: 'TCjow1qG4ZvDNj5ZRCF2RSuS2kMCGKK1JJ',
    solana: [
      'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96',
      'AqynRZwvVqUPRwRJXvm6odUb3t93fDjnWe3p6BeuUFxD',
      'CqMbRgMuEhQi9BUS8xP44Wk5nENm48FqJnfjEi4eNb1k',
    ],
    solanaElsewhere: {
      "m/44'/501'/0'": 'BtELVjZSaWhMat94P9HyasX3Gvpv6C7WHXJGqWdZbwSQ',
      "m/44'/501'/1'": 'M9juqHHtP85PvRKX3d4FS9jkF1WHZwyX3dG7NcYswdH',
      "m/44'/501'": '9tKf8Q98FsGKJiM4oqMnTxmYH3fU2qJzSwzc76vgzyBT',
      seed: 'G9r1RYmVnXptzCA2an46rNnHsCAQLvjyM6vR2mo3LpG1',
    },
    firstKeys: {
      evm: 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
      tron: null,
      solana: 'a01c67efb5cb8f62f15907a9fcf124c73d2695c8a9a31f21c05742a31ca1dc72',
    },
    evmXpubs: [
      'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP',
    ],
    tronXpubs: [
      'xpub6BuRy7ZmkGfP2RWhoor1kWB1w9DvrtmJbFBvnC1bQ4SB5NbCHTyQYCJSXZtxDbFyHTmC7wkU2he3nYYdpZ3Vf6qUAkXSnL6RPif4BDtDEKr',
    ],
  },
] as const;
