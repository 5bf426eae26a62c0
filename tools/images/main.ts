/** `node tools/images/main.ts build|load|list [NAME …]`: builds images, and loads them into the cluster that is up. */
import { ClusterError, readConfig } from '../cluster/config.ts';
import { loadImage } from '../cluster/main.ts';
import { buildImage, imageNames } from './build.ts';

async function main([command, ...names]: string[]): Promise<void> {
  if (command !== 'build' && command !== 'load' && command !== 'list') {
    throw new ClusterError('usage: main.ts build|load|list [NAME …]');
  }
  for (const name of names.length > 0 ? names : imageNames) {
    if (command === 'list') {
      console.log(name);
      continue;
    }
    const image = await buildImage(name);
    if (command === 'load') await loadImage(readConfig(), image.reference, image.archive);
    console.log(image.reference);
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`images: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
