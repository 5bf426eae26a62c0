/** Tests of replicas on a busy machine: each of them stands still for moments, which must not count as a fault. */
import { expect, test } from '@jest/globals';
import { ReplicaWorld } from './testing/replica-world.ts';

test.each([1, 2, 3])(
  'replicas that stand still for a quarter of a second now and then keep their leader (seed %i)',
  async (seed) => {
    const world = new ReplicaWorld({ seed, chaosMs: 0, clients: 2 });
    await world.runQuietly(2000);
    const { reigns, simulation } = world;
    const disturb = (): void => {
      const member = world.members[simulation.below(3)]!;
      member.freeze();
      simulation.after(simulation.between(50, 250), () => {
        member.thaw();
        simulation.after(simulation.between(20, 300), disturb);
      });
    };
    disturb();
    await simulation.run(8000);
    expect(world.reigns).toBe(reigns);
    expect(world.members.every(({ standing }) => standing?.clock.agrees)).toBe(true);
    expect(world.history.violation).toBeUndefined();
    world.end();
  },
);

test.each([1, 2, 3])(
  'a leader whose member of etcd takes long to answer for its status keeps the lead while it commits (seed %i)',
  async (seed) => {
    const world = new ReplicaWorld({ seed, chaosMs: 0, clients: 4 });
    await world.runQuietly(2000);
    const { reigns, history } = world;
    const { writes } = history;
    world.cluster.slowStatus.set(world.leader!.index, [300, 900]);
    await world.simulation.run(10_000);
    expect(world.reigns).toBe(reigns);
    expect(history.writes).toBeGreaterThan(writes + 50);
    expect(history.violation).toBeUndefined();
    world.end();
  },
);
