import type { DashboardWorld } from './dashboard-world.ts';

const REGTEST = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
export async function useChainDialog(world: DashboardWorld): Promise<void> {
  const { page } = world;
  // Its chain first: added, with no node yet.
  await world.visit('Chains');
  await world.press('Add chain');
  await page.getByLabel('Chain', { exact: true }).fill(REGTEST);
  await world.inspect('chain-add');
}
