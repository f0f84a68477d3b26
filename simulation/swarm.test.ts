// The swarms that seeds draw.

import { expect, it } from 'vitest';
import { ACTIONS, NEEDED } from './actions/list';
import { NETWORKS } from './chain/open-chain';
import { drawSwarm, MOST_STEPS } from './swarm';

const swarms = Array.from({ length: 300 }, (_, seed) => drawSwarm(seed));
const namesOf = (actions: readonly { readonly name: string }[]): Set<string> =>
  new Set(actions.map(({ name }) => name));

it('draws the same swarm for the same seed, and others for other seeds', () => {
  const withNames = ({ actions, ...rest }: (typeof swarms)[number]): string =>
    JSON.stringify({ ...rest, actions: actions.map(({ name, weight }) => [name, weight]) });
  expect(swarms.map((_, seed) => withNames(drawSwarm(seed)))).toEqual(swarms.map(withNames));
  // Two short ones may well have the same group.
  expect(new Set(swarms.map(withNames)).size).toBeGreaterThan(0.9 * swarms.length);
});

it('gives every swarm the actions without which nothing happens', () => {
  for (const { actions } of swarms) expect([...namesOf(actions)]).toEqual(expect.arrayContaining([...namesOf(NEEDED)]));
});

it('leaves no action and no network out of all swarms', () => {
  expect(namesOf(swarms.flatMap(({ actions }) => actions))).toEqual(namesOf(ACTIONS));
  expect(new Set(swarms.flatMap(({ networks }) => networks))).toEqual(new Set(NETWORKS));
});

it('draws short histories of a few actions and long ones of all actions', () => {
  expect(
    swarms.filter(({ steps, actions }) => steps <= 40 && actions.length < ACTIONS.length / 2).length,
  ).toBeGreaterThan(100);
  expect(
    swarms.filter(({ steps, actions }) => steps >= 80 && actions.length === ACTIONS.length).length,
  ).toBeGreaterThan(5);
  for (const { steps } of swarms) expect(steps).toBeLessThanOrEqual(MOST_STEPS);
});

// A draw is a whole number up to the sum of the weights: a fraction may hold none of them, and is then never drawn.
it('weighs every action with a whole number and names it once', () => {
  for (const { actions } of swarms) {
    expect(namesOf(actions).size).toBe(actions.length);
    for (const { name, weight } of actions)
      expect({ name, isWhole: Number.isInteger(weight) && weight >= 1 }).toEqual({ name, isWhole: true });
  }
});
