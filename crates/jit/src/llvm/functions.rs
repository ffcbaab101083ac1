//! The functions of LLVM's C interface that are used, each by its own name and with the type that `llvm-c/*.h` gives it.
//!
//! Nothing is linked: the table is filled from a library that was opened at run time. What only some versions have is
//! an `Option`.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "these are the names in LLVM's headers")]

use std::ffi::{c_char, c_int, c_uint, c_void};

use libloading::os::unix::Library;

/// Declares the pointers to things of LLVM's whose insides only LLVM knows.
macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq)]
        #[repr(transparent)]
        pub struct $name(*mut c_void);

        #[allow(dead_code, reason = "not each of them is ever null")]
        impl $name {
            pub const NULL: Self = Self(std::ptr::null_mut());

            pub fn is_null(self) -> bool {
                self.0.is_null()
            }
        }
    )*};
}

opaque! {
    /// `LLVMContextRef`
    Context
    /// `LLVMModuleRef`
    Module
    /// `LLVMValueRef`
    Value
    /// `LLVMBasicBlockRef`
    BasicBlock
    /// `LLVMTypeRef`
    Type
    /// `LLVMBuilderRef`
    Builder
    /// `LLVMMemoryBufferRef`
    Buffer
    /// `LLVMErrorRef`; null is success.
    Error
    /// `LLVMDiagnosticInfoRef`
    Diagnostic
    /// `LLVMTargetRef`
    TargetKind
    /// `LLVMTargetMachineRef`
    TargetMachine
    /// `LLVMTargetDataRef`
    TargetData
    /// `LLVMPassBuilderOptionsRef`
    PassOptions
    /// `LLVMOrcLLJITRef`
    Jit
    /// `LLVMOrcExecutionSessionRef`
    Session
    /// `LLVMOrcJITDylibRef`
    Dylib
    /// `LLVMOrcSymbolStringPoolRef`
    Pool
    /// `LLVMOrcSymbolStringPoolEntryRef`
    Name
    /// `LLVMOrcMaterializationUnitRef`
    Unit
}

/// `LLVMBool`; zero is success where it stands for a result.
pub type Bool = c_int;

/// `LLVMOrcCSymbolMapPair` with the `LLVMJITEvaluatedSymbol` in it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SymbolPair {
    pub name: Name,
    pub address: u64,
    pub flags: SymbolFlags,
}

/// `LLVMJITSymbolFlags`
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SymbolFlags {
    pub generic: u8,
    pub target: u8,
}

/// `LLVMJITSymbolGenericFlagsExported` and `…Callable`
pub const EXPORTED_CALLABLE: SymbolFlags = SymbolFlags { generic: 1 | 4, target: 0 };

/// `LLVMOrcCJITDylibSearchOrderElement`
#[repr(C)]
pub struct SearchElement {
    pub dylib: Dylib,
    /// `LLVMOrcJITDylibLookupFlags`: 0 is "exported symbols only".
    pub flags: c_int,
}

/// `LLVMOrcCLookupSetElement`
#[repr(C)]
pub struct LookupElement {
    pub name: Name,
    /// `LLVMOrcSymbolLookupFlags`: 0 is "required".
    pub flags: c_int,
}

/// What `LLVMOrcExecutionSessionLookup` calls with its result.
pub type LookupHandler = extern "C" fn(Error, *const SymbolPair, usize, *mut c_void);
/// `LLVMFatalErrorHandler`
pub type FatalHandler = extern "C" fn(*const c_char);
/// `llvm::fatal_error_handler_t`
pub type MemoryHandler = extern "C" fn(*mut c_void, *const c_char, bool);
/// `LLVMDiagnosticHandler`
pub type DiagnosticHandler = extern "C" fn(Diagnostic, *mut c_void);
/// `LLVMOrcErrorReporterFunction`
pub type ErrorReporter = extern "C" fn(*mut c_void, Error);

/// Declares the table and how it is filled.
macro_rules! functions {
    (
        required { $($name:ident: fn($($type:ty),*) $(-> $result:ty)?;)* }
        target { $($field:ident: $suffix:literal;)* }
        optional { $($maybe:ident: fn($($maybe_type:ty),*) $(-> $maybe_result:ty)?;)* }
    ) => {
        /// The table.
        pub struct Functions {
            $(pub $name: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
            $(pub $field: unsafe extern "C" fn(),)*
            $(pub $maybe: Option<unsafe extern "C" fn($($maybe_type),*) $(-> $maybe_result)?>,)*
        }

        impl Functions {
            /// Looks all of them up; those of the host's target are named after it (`X86`). The error names the first
            /// that is missing.
            ///
            /// # Safety
            ///
            /// The library is one of LLVM, whose functions of these names have these types.
            pub unsafe fn look_up(library: &Library, target: &str) -> Result<Self, String> {
                let missing = |name: &str| name.to_owned();
                // SAFETY: the caller's promise; a function stays where it is, since the library is never closed.
                unsafe {
                    Ok(Self {
                        $($name: *library.get(stringify!($name).as_bytes()).map_err(|_| missing(stringify!($name)))?,)*
                        $($field: {
                            let name = format!("LLVMInitialize{target}{}", $suffix);
                            *library.get(name.as_bytes()).map_err(|_| missing(&name))?
                        },)*
                        $($maybe: library.get(stringify!($maybe).as_bytes()).ok().map(|found| *found),)*
                    })
                }
            }
        }
    };
}

functions! {
    required {
        // Core.h
        LLVMDisposeMessage: fn(*mut c_char);
        LLVMContextCreate: fn() -> Context;
        LLVMContextDispose: fn(Context);
        LLVMContextSetDiagnosticHandler: fn(Context, DiagnosticHandler, *mut c_void);
        LLVMGetDiagInfoDescription: fn(Diagnostic) -> *mut c_char;
        LLVMGetDiagInfoSeverity: fn(Diagnostic) -> c_int;
        LLVMDisposeModule: fn(Module);
        LLVMCreateMemoryBufferWithMemoryRangeCopy: fn(*const c_char, usize, *const c_char) -> Buffer;
        LLVMGetBufferStart: fn(Buffer) -> *const c_char;
        LLVMGetBufferSize: fn(Buffer) -> usize;
        LLVMDisposeMemoryBuffer: fn(Buffer);
        LLVMGetFirstFunction: fn(Module) -> Value;
        LLVMGetNextFunction: fn(Value) -> Value;
        LLVMGetFirstBasicBlock: fn(Value) -> BasicBlock;
        LLVMGetNextBasicBlock: fn(BasicBlock) -> BasicBlock;
        LLVMGetFirstInstruction: fn(BasicBlock) -> Value;
        LLVMGetNextInstruction: fn(Value) -> Value;
        LLVMGetInstructionOpcode: fn(Value) -> c_int;
        LLVMIsAInstruction: fn(Value) -> Value;
        LLVMIsConstant: fn(Value) -> Bool;
        LLVMGetOperand: fn(Value, c_uint) -> Value;
        LLVMSetOperand: fn(Value, c_uint, Value);
        LLVMTypeOf: fn(Value) -> Type;
        LLVMGetTypeKind: fn(Type) -> c_int;
        LLVMAddGlobal: fn(Module, Type, *const c_char) -> Value;
        LLVMSetInitializer: fn(Value, Value);
        LLVMSetGlobalConstant: fn(Value, Bool);
        LLVMSetLinkage: fn(Value, c_int);
        LLVMCreateBuilderInContext: fn(Context) -> Builder;
        LLVMPositionBuilderBefore: fn(Builder, Value);
        LLVMBuildLoad2: fn(Builder, Type, Value, *const c_char) -> Value;
        LLVMSetVolatile: fn(Value, Bool);
        LLVMDisposeBuilder: fn(Builder);
        // Analysis.h
        LLVMVerifyModule: fn(Module, c_int, *mut *mut c_char) -> Bool;
        // Error.h, ErrorHandling.h
        LLVMGetErrorMessage: fn(Error) -> *mut c_char;
        LLVMDisposeErrorMessage: fn(*mut c_char);
        LLVMInstallFatalErrorHandler: fn(FatalHandler);
        // Target.h, TargetMachine.h
        LLVMGetDefaultTargetTriple: fn() -> *mut c_char;
        LLVMGetHostCPUName: fn() -> *mut c_char;
        LLVMGetHostCPUFeatures: fn() -> *mut c_char;
        LLVMGetTargetFromTriple: fn(*const c_char, *mut TargetKind, *mut *mut c_char) -> Bool;
        LLVMCreateTargetMachine: fn(TargetKind, *const c_char, *const c_char, *const c_char, c_int, c_int, c_int) -> TargetMachine;
        LLVMDisposeTargetMachine: fn(TargetMachine);
        LLVMCreateTargetDataLayout: fn(TargetMachine) -> TargetData;
        LLVMCopyStringRepOfTargetData: fn(TargetData) -> *mut c_char;
        LLVMDisposeTargetData: fn(TargetData);
        LLVMTargetMachineEmitToMemoryBuffer: fn(TargetMachine, Module, c_int, *mut *mut c_char, *mut Buffer) -> Bool;
        // Transforms/PassBuilder.h
        LLVMRunPasses: fn(Module, *const c_char, TargetMachine, PassOptions) -> Error;
        LLVMCreatePassBuilderOptions: fn() -> PassOptions;
        LLVMDisposePassBuilderOptions: fn(PassOptions);
        // Orc.h, LLJIT.h
        LLVMOrcCreateLLJIT: fn(*mut Jit, *mut c_void) -> Error;
        LLVMOrcDisposeLLJIT: fn(Jit) -> Error;
        LLVMOrcLLJITGetExecutionSession: fn(Jit) -> Session;
        LLVMOrcExecutionSessionIntern: fn(Session, *const c_char) -> Name;
        LLVMOrcLLJITAddObjectFile: fn(Jit, Dylib, Buffer) -> Error;
        LLVMOrcExecutionSessionSetErrorReporter: fn(Session, ErrorReporter, *mut c_void);
        LLVMOrcExecutionSessionCreateBareJITDylib: fn(Session, *const c_char) -> Dylib;
        LLVMOrcExecutionSessionGetSymbolStringPool: fn(Session) -> Pool;
        LLVMOrcExecutionSessionLookup: fn(Session, c_int, *const SearchElement, usize, *const LookupElement, usize, LookupHandler, *mut c_void);
        LLVMOrcSymbolStringPoolClearDeadEntries: fn(Pool);
        LLVMOrcSymbolStringPoolEntryStr: fn(Name) -> *const c_char;
        LLVMOrcAbsoluteSymbols: fn(*const SymbolPair, usize) -> Unit;
        LLVMOrcDisposeMaterializationUnit: fn(Unit);
        LLVMOrcJITDylibDefine: fn(Dylib, Unit) -> Error;
        LLVMOrcJITDylibClear: fn(Dylib) -> Error;
    }
    target {
        initialize_info: "TargetInfo";
        initialize_target: "Target";
        initialize_mc: "TargetMC";
        initialize_printer: "AsmPrinter";
        initialize_parser: "AsmParser";
    }
    optional {
        // IRReader.h: the first takes the buffer, and is deprecated in 22; the second leaves it, and is there since 22.
        LLVMParseIRInContext: fn(Context, Buffer, *mut Module, *mut *mut c_char) -> Bool;
        LLVMParseIRInContext2: fn(Context, Buffer, *mut Module, *mut *mut c_char) -> Bool;
        // Core.h: since 16.
        LLVMGetVersion: fn(*mut c_uint, *mut c_uint, *mut c_uint);
        // Support.h
        LLVMParseCommandLineOptions: fn(c_int, *const *const c_char, *const c_char);
        LLVMAddSymbol: fn(*const c_char, *mut c_void);
        LLVMSearchForAddressOfSymbol: fn(*const c_char) -> *mut c_void;
        // C++, by the names that its ABI gives them: the C interface has nothing for the want of memory.
        // `llvm::install_bad_alloc_error_handler`, of this type since 14; `llvm::install_out_of_memory_new_handler`;
        // `std::set_new_handler`, of which only the place is of interest.
        _ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_: fn(MemoryHandler, *mut c_void);
        _ZN4llvm33install_out_of_memory_new_handlerEv: fn();
        _ZSt15set_new_handlerPFvvE: fn();
    }
}
