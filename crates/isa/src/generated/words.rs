//! Written by `cargo xtask isa` from `isa/*.isa`; do not edit.

#![cfg_attr(rustfmt, rustfmt_skip)]

use crate::types::Type;

pub static WORDS: &[&str] = &[
    "u16", // 0
    "u32", // 1
    "u64", // 2
    "s16", // 3
    "s64", // 4
    "add", // 5
    "sat", // 6
    "s32", // 7
    "u16x2", // 8
    "s16x2", // 9
    "sub", // 10
    "mul", // 11
    "hi", // 12
    "lo", // 13
    "wide", // 14
    "mad", // 15
    "mul24", // 16
    "mad24", // 17
    "sad", // 18
    "div", // 19
    "rem", // 20
    "abs", // 21
    "neg", // 22
    "min", // 23
    "relu", // 24
    "max", // 25
    "b32", // 26
    "b64", // 27
    "popc", // 28
    "clz", // 29
    "bfind", // 30
    "shiftamt", // 31
    "fns", // 32
    "brev", // 33
    "bfe", // 34
    "bfi", // 35
    "clamp", // 36
    "wrap", // 37
    "szext", // 38
    "bmsk", // 39
    "dp4a", // 40
    "dp2a", // 41
    "1d", // 42
    "2d", // 43
    "3d", // 44
    "a1d", // 45
    "a2d", // 46
    "cube", // 47
    "acube", // 48
    "2dms", // 49
    "a2dms", // 50
    "5d", // 51
    "v2", // 52
    "v4", // 53
    "f16", // 54
    "f32", // 55
    "f16x2", // 56
    "tex", // 57
    "base", // 58
    "uni", // 59
    "level", // 60
    "grad", // 61
    "r", // 62
    "g", // 63
    "b", // 64
    "a", // 65
    "tld4", // 66
    "width", // 67
    "height", // 68
    "depth", // 69
    "channel_data_type", // 70
    "channel_order", // 71
    "normalized_coords", // 72
    "array_size", // 73
    "num_mipmap_levels", // 74
    "num_samples", // 75
    "memory_layout", // 76
    "txq", // 77
    "force_unnormalized_coords", // 78
    "filter_mode", // 79
    "addr_mode_0", // 80
    "addr_mode_1", // 81
    "addr_mode_2", // 82
    "texref", // 83
    "samplerref", // 84
    "surfref", // 85
    "istypep", // 86
    "4d", // 87
    "trap", // 88
    "zero", // 89
    "b8", // 90
    "b16", // 91
    "ca", // 92
    "cg", // 93
    "cs", // 94
    "cv", // 95
    "suld", // 96
    "wb", // 97
    "wt", // 98
    "sust", // 99
    "v8", // 100
    "p", // 101
    "and", // 102
    "or", // 103
    "sured", // 104
    "suq", // 105
    "bra", // 106
    "brx", // 107
    "idx", // 108
    "call", // 109
    "ret", // 110
    "exit", // 111
    "cta", // 112
    "cluster", // 113
    "gpu", // 114
    "sys", // 115
    "global", // 116
    "shared", // 117
    "shared::cta", // 118
    "shared::cluster", // 119
    "L2::cache_hint", // 120
    "relaxed", // 121
    "acquire", // 122
    "release", // 123
    "acq_rel", // 124
    "xor", // 125
    "atom", // 126
    "b128", // 127
    "exch", // 128
    "cas", // 129
    "f64", // 130
    "inc", // 131
    "dec", // 132
    "bf16", // 133
    "bf16x2", // 134
    "noftz", // 135
    "red", // 136
    "mbarrier::complete_tx::bytes", // 137
    "async", // 138
    "mmio", // 139
    "mbarrier", // 140
    "init", // 141
    "inval", // 142
    "expect_tx", // 143
    "complete_tx", // 144
    "arrive", // 145
    "noComplete", // 146
    "arrive_drop", // 147
    "cp", // 148
    "noinc", // 149
    "test_wait", // 150
    "parity", // 151
    "try_wait", // 152
    "pending_count", // 153
    "tensormap", // 154
    "cp_fenceproxy", // 155
    "tensormap::generic", // 156
    "sync", // 157
    "aligned", // 158
    "clusterlaunchcontrol", // 159
    "try_cancel", // 160
    "multicast::cluster::all", // 161
    "query_cancel", // 162
    "is_canceled", // 163
    "pred", // 164
    "get_first_ctaid", // 165
    "get_first_ctaid::x", // 166
    "get_first_ctaid::y", // 167
    "get_first_ctaid::z", // 168
    "barrier", // 169
    "bar", // 170
    "warp", // 171
    "wait", // 172
    "sc", // 173
    "fence", // 174
    "sync_restrict::shared::cluster", // 175
    "sync_restrict::shared::cta", // 176
    "mbarrier_init", // 177
    "proxy", // 178
    "alias", // 179
    "async::generic", // 180
    "gl", // 181
    "membar", // 182
    "all", // 183
    "any", // 184
    "vote", // 185
    "ballot", // 186
    "match", // 187
    "activemask", // 188
    "redux", // 189
    "NaN", // 190
    "launch_dependents", // 191
    "griddepcontrol", // 192
    "elect", // 193
    "rn", // 194
    "rz", // 195
    "rm", // 196
    "rp", // 197
    "row", // 198
    "col", // 199
    "mma", // 200
    "m8n8k4", // 201
    "m16n8k8", // 202
    "m16n8k16", // 203
    "tf32", // 204
    "m16n8k4", // 205
    "kind::f8f6f4", // 206
    "kind::mxf8f6f4", // 207
    "kind::mxf4", // 208
    "kind::mxf4nvf4", // 209
    "kind::f16", // 210
    "kind::tf32", // 211
    "kind::i8", // 212
    "e4m3", // 213
    "e5m2", // 214
    "m16n8k32", // 215
    "e3m2", // 216
    "e2m3", // 217
    "e2m1", // 218
    "ue8m0", // 219
    "block_scale", // 220
    "scale_vec::1X", // 221
    "m16n8k64", // 222
    "scale_vec::2X", // 223
    "ue4m3", // 224
    "scale_vec::4X", // 225
    "u8", // 226
    "s8", // 227
    "m8n8k16", // 228
    "satfinite", // 229
    "u4", // 230
    "s4", // 231
    "m8n8k32", // 232
    "b1", // 233
    "m8n8k128", // 234
    "m16n8k128", // 235
    "m16n8k256", // 236
    "x1", // 237
    "x2", // 238
    "x4", // 239
    "ldmatrix", // 240
    "m8n8", // 241
    "trans", // 242
    "m16n16", // 243
    "b8x16", // 244
    "b6x16_p32", // 245
    "b4x16_p64", // 246
    "m8n16", // 247
    "x8", // 248
    "x16", // 249
    "x32", // 250
    "x64", // 251
    "x128", // 252
    "stmatrix", // 253
    "m16n8", // 254
    "movmatrix", // 255
    "sp", // 256
    "sp::ordered_metadata", // 257
    "m16n16k16", // 258
    "m8n32k16", // 259
    "m32n8k16", // 260
    "wmma", // 261
    "load", // 262
    "m16n16k8", // 263
    "c", // 264
    "store", // 265
    "d", // 266
    "m64n8k16", // 267
    "m64n16k16", // 268
    "m64n24k16", // 269
    "m64n32k16", // 270
    "m64n40k16", // 271
    "m64n48k16", // 272
    "m64n56k16", // 273
    "m64n64k16", // 274
    "m64n72k16", // 275
    "m64n80k16", // 276
    "m64n88k16", // 277
    "m64n96k16", // 278
    "m64n104k16", // 279
    "m64n112k16", // 280
    "m64n120k16", // 281
    "m64n128k16", // 282
    "m64n136k16", // 283
    "m64n144k16", // 284
    "m64n152k16", // 285
    "m64n160k16", // 286
    "m64n168k16", // 287
    "m64n176k16", // 288
    "m64n184k16", // 289
    "m64n192k16", // 290
    "m64n200k16", // 291
    "m64n208k16", // 292
    "m64n216k16", // 293
    "m64n224k16", // 294
    "m64n232k16", // 295
    "m64n240k16", // 296
    "m64n248k16", // 297
    "m64n256k16", // 298
    "wgmma", // 299
    "mma_async", // 300
    "m64n8k8", // 301
    "m64n16k8", // 302
    "m64n24k8", // 303
    "m64n32k8", // 304
    "m64n40k8", // 305
    "m64n48k8", // 306
    "m64n56k8", // 307
    "m64n64k8", // 308
    "m64n72k8", // 309
    "m64n80k8", // 310
    "m64n88k8", // 311
    "m64n96k8", // 312
    "m64n104k8", // 313
    "m64n112k8", // 314
    "m64n120k8", // 315
    "m64n128k8", // 316
    "m64n136k8", // 317
    "m64n144k8", // 318
    "m64n152k8", // 319
    "m64n160k8", // 320
    "m64n168k8", // 321
    "m64n176k8", // 322
    "m64n184k8", // 323
    "m64n192k8", // 324
    "m64n200k8", // 325
    "m64n208k8", // 326
    "m64n216k8", // 327
    "m64n224k8", // 328
    "m64n232k8", // 329
    "m64n240k8", // 330
    "m64n248k8", // 331
    "m64n256k8", // 332
    "m64n8k32", // 333
    "m64n16k32", // 334
    "m64n24k32", // 335
    "m64n32k32", // 336
    "m64n40k32", // 337
    "m64n48k32", // 338
    "m64n56k32", // 339
    "m64n64k32", // 340
    "m64n72k32", // 341
    "m64n80k32", // 342
    "m64n88k32", // 343
    "m64n96k32", // 344
    "m64n104k32", // 345
    "m64n112k32", // 346
    "m64n120k32", // 347
    "m64n128k32", // 348
    "m64n136k32", // 349
    "m64n144k32", // 350
    "m64n152k32", // 351
    "m64n160k32", // 352
    "m64n168k32", // 353
    "m64n176k32", // 354
    "m64n184k32", // 355
    "m64n192k32", // 356
    "m64n200k32", // 357
    "m64n208k32", // 358
    "m64n216k32", // 359
    "m64n224k32", // 360
    "m64n232k32", // 361
    "m64n240k32", // 362
    "m64n248k32", // 363
    "m64n256k32", // 364
    "m64n8k256", // 365
    "m64n16k256", // 366
    "m64n24k256", // 367
    "m64n32k256", // 368
    "m64n48k256", // 369
    "m64n64k256", // 370
    "m64n80k256", // 371
    "m64n96k256", // 372
    "m64n112k256", // 373
    "m64n128k256", // 374
    "m64n144k256", // 375
    "m64n160k256", // 376
    "m64n176k256", // 377
    "m64n192k256", // 378
    "m64n208k256", // 379
    "m64n224k256", // 380
    "m64n240k256", // 381
    "m64n256k256", // 382
    "m64n8k64", // 383
    "m64n16k64", // 384
    "m64n24k64", // 385
    "m64n32k64", // 386
    "m64n40k64", // 387
    "m64n48k64", // 388
    "m64n56k64", // 389
    "m64n64k64", // 390
    "m64n72k64", // 391
    "m64n80k64", // 392
    "m64n88k64", // 393
    "m64n96k64", // 394
    "m64n104k64", // 395
    "m64n112k64", // 396
    "m64n120k64", // 397
    "m64n128k64", // 398
    "m64n136k64", // 399
    "m64n144k64", // 400
    "m64n152k64", // 401
    "m64n160k64", // 402
    "m64n168k64", // 403
    "m64n176k64", // 404
    "m64n184k64", // 405
    "m64n192k64", // 406
    "m64n200k64", // 407
    "m64n208k64", // 408
    "m64n216k64", // 409
    "m64n224k64", // 410
    "m64n232k64", // 411
    "m64n240k64", // 412
    "m64n248k64", // 413
    "m64n256k64", // 414
    "commit_group", // 415
    "wait_group", // 416
    "cta_group::1", // 417
    "cta_group::2", // 418
    "tcgen05", // 419
    "alloc", // 420
    "dealloc", // 421
    "relinquish_alloc_permit", // 422
    "pack::16b", // 423
    "16x64b", // 424
    "32x32b", // 425
    "ld", // 426
    "tmem", // 427
    "16x128b", // 428
    "16x256b", // 429
    "16x32bx2", // 430
    "unpack::16b", // 431
    "st", // 432
    "wait::ld", // 433
    "wait::st", // 434
    "128x256b", // 435
    "4x256b", // 436
    "128x128b", // 437
    "64x128b", // 438
    "32x128b", // 439
    "warpx2::02_13", // 440
    "warpx2::01_23", // 441
    "warpx4", // 442
    "shift", // 443
    "down", // 444
    "collector::a::fill", // 445
    "collector::a::use", // 446
    "collector::a::lastuse", // 447
    "collector::a::discard", // 448
    "ashift", // 449
    "block16", // 450
    "block32", // 451
    "collector::b0::fill", // 452
    "collector::b0::use", // 453
    "collector::b0::lastuse", // 454
    "collector::b0::discard", // 455
    "collector::b1::fill", // 456
    "collector::b1::use", // 457
    "collector::b1::lastuse", // 458
    "collector::b1::discard", // 459
    "collector::b2::fill", // 460
    "collector::b2::use", // 461
    "collector::b2::lastuse", // 462
    "collector::b2::discard", // 463
    "collector::b3::fill", // 464
    "collector::b3::use", // 465
    "collector::b3::lastuse", // 466
    "collector::b3::discard", // 467
    "ws", // 468
    "fence::before_thread_sync", // 469
    "fence::after_thread_sync", // 470
    "commit", // 471
    "mbarrier::arrive::one", // 472
    "multicast::cluster", // 473
    "stacksave", // 474
    "stackrestore", // 475
    "alloca", // 476
    "vadd", // 477
    "vsub", // 478
    "vabsdiff", // 479
    "vmin", // 480
    "vmax", // 481
    "vshl", // 482
    "vshr", // 483
    "shr7", // 484
    "shr15", // 485
    "vmad", // 486
    "po", // 487
    "eq", // 488
    "ne", // 489
    "lt", // 490
    "le", // 491
    "gt", // 492
    "ge", // 493
    "vset", // 494
    "vadd2", // 495
    "vsub2", // 496
    "vavrg2", // 497
    "vabsdiff2", // 498
    "vmin2", // 499
    "vmax2", // 500
    "vset2", // 501
    "vadd4", // 502
    "vsub4", // 503
    "vavrg4", // 504
    "vabsdiff4", // 505
    "vmin4", // 506
    "vmax4", // 507
    "vset4", // 508
    "brkpt", // 509
    "nanosleep", // 510
    "pmevent", // 511
    "mask", // 512
    "setmaxnreg", // 513
    "cc", // 514
    "addc", // 515
    "subc", // 516
    "madc", // 517
    "finite", // 518
    "infinite", // 519
    "number", // 520
    "notanumber", // 521
    "normal", // 522
    "subnormal", // 523
    "testp", // 524
    "copysign", // 525
    "ftz", // 526
    "f32x2", // 527
    "fma", // 528
    "approx", // 529
    "full", // 530
    "xorsign", // 531
    "rcp", // 532
    "sqrt", // 533
    "rsqrt", // 534
    "sin", // 535
    "cos", // 536
    "lg2", // 537
    "ex2", // 538
    "tanh", // 539
    "oob", // 540
    "set", // 541
    "ls", // 542
    "hs", // 543
    "equ", // 544
    "neu", // 545
    "ltu", // 546
    "leu", // 547
    "gtu", // 548
    "geu", // 549
    "num", // 550
    "nan", // 551
    "setp", // 552
    "selp", // 553
    "slct", // 554
    "not", // 555
    "cnot", // 556
    "lop3", // 557
    "shf", // 558
    "l", // 559
    "shl", // 560
    "shr", // 561
    "L2::64B", // 562
    "L2::128B", // 563
    "L2::256B", // 564
    "wait_all", // 565
    "bulk", // 566
    "bulk_group", // 567
    "cp_mask", // 568
    "reduce", // 569
    "prefetch", // 570
    "L2", // 571
    "multimem", // 572
    "read", // 573
    "rni", // 574
    "rzi", // 575
    "rmi", // 576
    "rpi", // 577
    "e4m3x2", // 578
    "e5m2x2", // 579
    "e2m3x2", // 580
    "e3m2x2", // 581
    "e4m3x4", // 582
    "e5m2x4", // 583
    "e2m3x4", // 584
    "e3m2x4", // 585
    "cvt", // 586
    "rna", // 587
    "rs", // 588
    "e2m1x2", // 589
    "ue8m0x2", // 590
    "e2m1x4", // 591
    "scaled::n2::ue8m0", // 592
    "s2f6x2", // 593
    "pack", // 594
    "u2", // 595
    "s2", // 596
    "L1::evict_normal", // 597
    "L1::evict_unchanged", // 598
    "L1::evict_first", // 599
    "L1::evict_last", // 600
    "L1::no_allocate", // 601
    "L2::evict_normal", // 602
    "L2::evict_first", // 603
    "L2::evict_last", // 604
    "lu", // 605
    "const", // 606
    "local", // 607
    "param", // 608
    "param::entry", // 609
    "param::func", // 610
    "weak", // 611
    "volatile", // 612
    "nc", // 613
    "ldu", // 614
    "acc::f32", // 615
    "acc::f16", // 616
    "ld_reduce", // 617
    "mov", // 618
    "up", // 619
    "bfly", // 620
    "shfl", // 621
    "f4e", // 622
    "b4e", // 623
    "rc8", // 624
    "ecl", // 625
    "ecr", // 626
    "rc16", // 627
    "prmt", // 628
    "L1", // 629
    "prefetchu", // 630
    "applypriority", // 631
    "discard", // 632
    "L2::evict_unchanged", // 633
    "createpolicy", // 634
    "range", // 635
    "fractional", // 636
    "isspacep", // 637
    "cvta", // 638
    "to", // 639
    "mapa", // 640
    "getctarank", // 641
    "tensor", // 642
    "tile", // 643
    "tile::gather4", // 644
    "im2col", // 645
    "im2col::w", // 646
    "im2col::w::128", // 647
    "tile::scatter4", // 648
    "im2col_no_offs", // 649
    "replace", // 650
    "global_address", // 651
    "b1024", // 652
    "rank", // 653
    "box_dim", // 654
    "global_dim", // 655
    "element_stride", // 656
    "global_stride", // 657
    "elemtype", // 658
    "interleave_layout", // 659
    "swizzle_mode", // 660
    "swizzle_atomicity", // 661
    "fill_mode", // 662
    "b2", // 663
    "b4", // 664
    "u8x4", // 665
    "s8x4", // 666
];

pub static WORD_TYPES: &[Option<Type>] = &[
    Some(Type::U16),
    Some(Type::U32),
    Some(Type::U64),
    Some(Type::S16),
    Some(Type::S64),
    None,
    None,
    Some(Type::S32),
    Some(Type::U16x2),
    Some(Type::S16x2),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    Some(Type::B32),
    Some(Type::B64),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    Some(Type::F16),
    Some(Type::F32),
    Some(Type::F16x2),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    Some(Type::B8),
    Some(Type::B16),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    Some(Type::B128),
    None,
    None,
    Some(Type::F64),
    None,
    None,
    Some(Type::Bf16),
    Some(Type::Bf16x2),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    Some(Type::Pred),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    Some(Type::Tf32),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    Some(Type::E4m3),
    Some(Type::E5m2),
    None,
    Some(Type::E3m2),
    Some(Type::E2m3),
    Some(Type::E2m1),
    Some(Type::Ue8m0),
    None,
    None,
    None,
    None,
    Some(Type::Ue4m3),
    None,
    Some(Type::U8),
    Some(Type::S8),
    None,
    None,
    Some(Type::U4),
    Some(Type::S4),
    None,
    Some(Type::B1),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    Some(Type::F32x2),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    Some(Type::E4m3x2),
    Some(Type::E5m2x2),
    Some(Type::E2m3x2),
    Some(Type::E3m2x2),
    Some(Type::E4m3x4),
    Some(Type::E5m2x4),
    Some(Type::E2m3x4),
    Some(Type::E3m2x4),
    None,
    None,
    None,
    Some(Type::E2m1x2),
    Some(Type::Ue8m0x2),
    Some(Type::E2m1x4),
    None,
    Some(Type::S2f6x2),
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    Some(Type::B4),
    Some(Type::U8x4),
    Some(Type::S8x4),
];
