/** The driver's interface to one kubelet: CSI's Identity and Node services, and the registration that announces them. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  loadPackageDefinition,
  Server,
  ServerCredentials,
  status,
  type ServiceDefinition,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { Backing } from './backing.ts';
import { driverName, StorageKind } from './classes.ts';

interface VolumeRequest {
  readonly volumeId: string;
  readonly stagingTargetPath: string;
  readonly targetPath: string;
  readonly volumePath: string;
  readonly readonly: boolean;
  readonly volumeContext: Readonly<Record<string, string>>;
  readonly capacityRange: { readonly requiredBytes: string };
}

/** Serves the driver to the kubelet of `node`. */
export async function serveNode(
  node: { readonly name: string; readonly kubeletFolder: string; readonly runFolder: string },
  backing: Backing,
): Promise<void> {
  const endpoint = join(node.runFolder, 'volumes.sock');
  const isLocal = (request: VolumeRequest) => request.volumeContext['kind'] === StorageKind.local;
  const csi = new Server();
  csi.addService(serviceOf('csi.proto', 'csi.v1', 'Identity'), {
    getPluginInfo: unary(() => ({ name: driverName, vendorVersion: '1' })),
    getPluginCapabilities: unary(() => ({})),
    probe: unary(() => ({})),
  });
  csi.addService(serviceOf('csi.proto', 'csi.v1', 'Node'), {
    nodeGetInfo: unary(() => ({ nodeId: node.name })),
    nodeGetCapabilities: unary(() => ({
      capabilities: [{ rpc: { type: 1 } }, { rpc: { type: 3 } }],
    })),
    nodeStageVolume: unary(async (request) => {
      if (!isLocal(request))
        await backing.stageNetwork(request.volumeId, request.stagingTargetPath);
    }),
    nodeUnstageVolume: unary((request) =>
      backing.unstage(request.volumeId, request.stagingTargetPath),
    ),
    nodePublishVolume: unary(async (request) => {
      const source = isLocal(request)
        ? backing.localFolder(node.name, request.volumeId)
        : request.stagingTargetPath;
      await backing.bind(source, request.targetPath, request.readonly);
    }),
    nodeUnpublishVolume: unary((request) => backing.unbind(request.targetPath)),
    nodeExpandVolume: unary(async (request) => ({
      capacityBytes: await backing.growNetwork(
        request.volumeId,
        request.volumePath,
        Number(request.capacityRange.requiredBytes),
      ),
    })),
  });
  await listen(csi, endpoint);

  const registration = new Server();
  registration.addService(serviceOf('registration.proto', 'pluginregistration', 'Registration'), {
    getInfo: unary(() => ({
      type: 'CSIPlugin',
      name: driverName,
      endpoint,
      supportedVersions: ['1.0.0'],
    })),
    notifyRegistrationStatus: unary(() => ({})),
  });
  const registry = join(node.kubeletFolder, 'plugins_registry');
  mkdirSync(registry, { recursive: true });
  await listen(registration, join(registry, 'ledgerhouse.sock'));
}

/** Handlers are idempotent and run one at a time for each volume: the kubelet repeats calls whose answer it did not see. */
const tails = new Map<string, Promise<unknown>>();

function unary(handle: (request: VolumeRequest) => unknown): UntypedHandleCall {
  return (
    call: { request: VolumeRequest },
    answer: (error: { code: status; details: string } | null, response?: unknown) => void,
  ) => {
    const key = call.request.volumeId ?? '';
    const turn = (tails.get(key) ?? Promise.resolve()).then(() => handle(call.request));
    const done = turn.then(
      (response) => answer(null, response ?? {}),
      (error: unknown) => answer({ code: status.FAILED_PRECONDITION, details: String(error) }),
    );
    tails.set(key, done);
  };
}

function serviceOf(file: string, packageName: string, service: string): ServiceDefinition {
  const definition = loadSync(join(import.meta.dirname, file), { longs: String, defaults: true });
  let found: unknown = loadPackageDefinition(definition);
  for (const part of [...packageName.split('.'), service]) {
    found = (found as Record<string, unknown>)[part];
  }
  return (found as { service: ServiceDefinition }).service;
}

async function listen(server: Server, path: string): Promise<void> {
  mkdirSync(join(path, '..'), { recursive: true });
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
}
