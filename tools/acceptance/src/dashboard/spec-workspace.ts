import type { DashboardWorld } from './dashboard-world.ts';

export async function useKeys(world: DashboardWorld): Promise<void> {
  const { page } = world;
  await world.visit('Keys');
  await world.press('Make a key');
  await page.getByLabel('Name', { exact: true }).fill('Backend');
  await world.inspect('key-make');
}

export async function useProjects(world: DashboardWorld): Promise<void> {
  const { page } = world;
  await world.visit('Projects');
  await world.press('Add project');
  await page.getByLabel('Name', { exact: true }).fill('Second');
  await page.getByRole('dialog').getByRole('button', { name: 'Add project' }).click();
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await row('Second').getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Third');
  await world.press('Save');
  await row('Third').waitFor();
  await world.inspect('projects');
}

export async function useMembers(world: DashboardWorld): Promise<void> {
  await world.visit('Members');
  await world.say('No members yet');
  await world.inspect('members-empty');
}
