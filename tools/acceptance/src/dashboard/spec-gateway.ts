import type { DashboardWorld } from './dashboard-world.ts';

export async function useGateway(world: DashboardWorld): Promise<void> {
  const { page } = world;
  await world.visit('RPC gateway');
  await world.say('No calls');
  await page.getByRole('list', { name: 'Networks' }).getByText('Healthy').waitFor();
  await world.inspect('gateway-empty');
}

export async function usePlayground(world: DashboardWorld): Promise<void> {
  const { page } = world;
  await world.visit('Playground');
  await world.say('Nothing was sent yet');
  await page.getByRole('combobox', { name: 'Chain' }).waitFor();
  await world.inspect('playground-empty');
}
