/** The part of the WebAssembly JavaScript interface (W3C) that is used here; Node has it, its types do not. */
declare global {
  namespace WebAssembly {
    interface Module {
      readonly [Symbol.toStringTag]: string;
    }
    interface Instance {
      readonly exports: object;
    }
    interface Memory {
      readonly buffer: ArrayBuffer;
    }
    interface Global {
      readonly value: number;
    }
    const Module: new (bytes: Uint8Array) => Module;
    const Instance: new (module: Module, imports: object) => Instance;
  }
}
export type WebAssemblyIsDeclared = true;
