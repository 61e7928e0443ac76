// Written by utils/gradients/networks.py --drawn.
weir.parameter @l0_w : tensor<64x12xf32>
    initial {name = "normal", mean = 0.0, scale = 0.288675, seed = 1}
weir.parameter @l0_u : tensor<64x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 2}
weir.parameter @l0_b : tensor<64xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 3}
weir.parameter @l1_w : tensor<64x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 4}
weir.parameter @l1_u : tensor<64x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 5}
weir.parameter @l1_b : tensor<64xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 6}
weir.parameter @head_w : tensor<5x16xf32>
    initial {name = "normal", mean = 0.0, scale = 0.25, seed = 7}
weir.parameter @head_b : tensor<5xf32>
    initial {name = "normal", mean = 0.0, scale = 0.1, seed = 8}

func.func @train(%data0: tensor<4x12xf32>, %data1: tensor<4x12xf32>, %data2: tensor<4x12xf32>, %data3: tensor<4x12xf32>, %data4: tensor<4x12xf32>, %data5: tensor<4x12xf32>, %data6: tensor<4xi64>) -> (tensor<f32> {weir.name = "loss"}) {
  %l0_w = weir.read @l0_w : tensor<64x12xf32>
  %l0_u = weir.read @l0_u : tensor<64x16xf32>
  %l0_b = weir.read @l0_b : tensor<64xf32>
  %v0 = weir.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<4x16xf32>
  %v1 = weir.linear %data0, %l0_w, %l0_b : tensor<4x12xf32>, tensor<64x12xf32>, tensor<64xf32>
  %v2 = weir.linear %v0, %l0_u : tensor<4x16xf32>, tensor<64x16xf32>
  %v3 = weir.add %v1, %v2 : tensor<4x64xf32>, tensor<4x64xf32>
  %v4 = weir.slice %v3 {sizes = [4, 16], starts = [0, 0]} : tensor<4x64xf32>
  %v5 = weir.slice %v3 {sizes = [4, 16], starts = [0, 16]} : tensor<4x64xf32>
  %v6 = weir.slice %v3 {sizes = [4, 16], starts = [0, 32]} : tensor<4x64xf32>
  %v7 = weir.slice %v3 {sizes = [4, 16], starts = [0, 48]} : tensor<4x64xf32>
  %v8 = weir.sigmoid %v5 : tensor<4x16xf32>
  %v9 = weir.mul %v8, %v0 : tensor<4x16xf32>, tensor<4x16xf32>
  %v10 = weir.sigmoid %v4 : tensor<4x16xf32>
  %v11 = weir.tanh %v6 : tensor<4x16xf32>
  %v12 = weir.mul %v10, %v11 : tensor<4x16xf32>, tensor<4x16xf32>
  %v13 = weir.add %v9, %v12 : tensor<4x16xf32>, tensor<4x16xf32>
  %v14 = weir.sigmoid %v7 : tensor<4x16xf32>
  %v15 = weir.tanh %v13 : tensor<4x16xf32>
  %v16 = weir.mul %v14, %v15 : tensor<4x16xf32>, tensor<4x16xf32>
  %v17 = weir.linear %data1, %l0_w, %l0_b : tensor<4x12xf32>, tensor<64x12xf32>, tensor<64xf32>
  %v18 = weir.linear %v16, %l0_u : tensor<4x16xf32>, tensor<64x16xf32>
  %v19 = weir.add %v17, %v18 : tensor<4x64xf32>, tensor<4x64xf32>
  %v20 = weir.slice %v19 {sizes = [4, 16], starts = [0, 0]} : tensor<4x64xf32>
  %v21 = weir.slice %v19 {sizes = [4, 16], starts = [0, 16]} : tensor<4x64xf32>
  %v22 = weir.slice %v19 {sizes = [4, 16], starts = [0, 32]} : tensor<4x64xf32>
  %v23 = weir.slice %v19 {sizes = [4, 16], starts = [0, 48]} : tensor<4x64xf32>
  %v24 = weir.sigmoid %v21 : tensor<4x16xf32>
  %v25 = weir.mul %v24, %v13 : tensor<4x16xf32>, tensor<4x16xf32>
  %v26 = weir.sigmoid %v20 : tensor<4x16xf32>
  %v27 = weir.tanh %v22 : tensor<4x16xf32>
  %v28 = weir.mul %v26, %v27 : tensor<4x16xf32>, tensor<4x16xf32>
  %v29 = weir.add %v25, %v28 : tensor<4x16xf32>, tensor<4x16xf32>
  %v30 = weir.sigmoid %v23 : tensor<4x16xf32>
  %v31 = weir.tanh %v29 : tensor<4x16xf32>
  %v32 = weir.mul %v30, %v31 : tensor<4x16xf32>, tensor<4x16xf32>
  %v33 = weir.linear %data2, %l0_w, %l0_b : tensor<4x12xf32>, tensor<64x12xf32>, tensor<64xf32>
  %v34 = weir.linear %v32, %l0_u : tensor<4x16xf32>, tensor<64x16xf32>
  %v35 = weir.add %v33, %v34 : tensor<4x64xf32>, tensor<4x64xf32>
  %v36 = weir.slice %v35 {sizes = [4, 16], starts = [0, 0]} : tensor<4x64xf32>
  %v37 = weir.slice %v35 {sizes = [4, 16], starts = [0, 16]} : tensor<4x64xf32>
  %v38 = weir.slice %v35 {sizes = [4, 16], starts = [0, 32]} : tensor<4x64xf32>
  %v39 = weir.slice %v35 {sizes = [4, 16], starts = [0, 48]} : tensor<4x64xf32>
  %v40 = weir.sigmoid %v37 : tensor<4x16xf32>
  %v41 = weir.mul %v40, %v29 : tensor<4x16xf32>, tensor<4x16xf32>
  %v42 = weir.sigmoid %v36 : tensor<4x16xf32>
  %v43 = weir.tanh %v38 : tensor<4x16xf32>
  %v44 = weir.mul %v42, %v43 : tensor<4x16xf32>, tensor<4x16xf32>
  %v45 = weir.add %v41, %v44 : tensor<4x16xf32>, tensor<4x16xf32>
  %v46 = weir.sigmoid %v39 : tensor<4x16xf32>
  %v47 = weir.tanh %v45 : tensor<4x16xf32>
  %v48 = weir.mul %v46, %v47 : tensor<4x16xf32>, tensor<4x16xf32>
  %v49 = weir.linear %data3, %l0_w, %l0_b : tensor<4x12xf32>, tensor<64x12xf32>, tensor<64xf32>
  %v50 = weir.linear %v48, %l0_u : tensor<4x16xf32>, tensor<64x16xf32>
  %v51 = weir.add %v49, %v50 : tensor<4x64xf32>, tensor<4x64xf32>
  %v52 = weir.slice %v51 {sizes = [4, 16], starts = [0, 0]} : tensor<4x64xf32>
  %v53 = weir.slice %v51 {sizes = [4, 16], starts = [0, 16]} : tensor<4x64xf32>
  %v54 = weir.slice %v51 {sizes = [4, 16], starts = [0, 32]} : tensor<4x64xf32>
  %v55 = weir.slice %v51 {sizes = [4, 16], starts = [0, 48]} : tensor<4x64xf32>
  %v56 = weir.sigmoid %v53 : tensor<4x16xf32>
  %v57 = weir.mul %v56, %v45 : tensor<4x16xf32>, tensor<4x16xf32>
  %v58 = weir.sigmoid %v52 : tensor<4x16xf32>
  %v59 = weir.tanh %v54 : tensor<4x16xf32>
  %v60 = weir.mul %v58, %v59 : tensor<4x16xf32>, tensor<4x16xf32>
  %v61 = weir.add %v57, %v60 : tensor<4x16xf32>, tensor<4x16xf32>
  %v62 = weir.sigmoid %v55 : tensor<4x16xf32>
  %v63 = weir.tanh %v61 : tensor<4x16xf32>
  %v64 = weir.mul %v62, %v63 : tensor<4x16xf32>, tensor<4x16xf32>
  %v65 = weir.linear %data4, %l0_w, %l0_b : tensor<4x12xf32>, tensor<64x12xf32>, tensor<64xf32>
  %v66 = weir.linear %v64, %l0_u : tensor<4x16xf32>, tensor<64x16xf32>
  %v67 = weir.add %v65, %v66 : tensor<4x64xf32>, tensor<4x64xf32>
  %v68 = weir.slice %v67 {sizes = [4, 16], starts = [0, 0]} : tensor<4x64xf32>
  %v69 = weir.slice %v67 {sizes = [4, 16], starts = [0, 16]} : tensor<4x64xf32>
  %v70 = weir.slice %v67 {sizes = [4, 16], starts = [0, 32]} : tensor<4x64xf32>
  %v71 = weir.slice %v67 {sizes = [4, 16], starts = [0, 48]} : tensor<4x64xf32>
  %v72 = weir.sigmoid %v69 : tensor<4x16xf32>
  %v73 = weir.mul %v72, %v61 : tensor<4x16xf32>, tensor<4x16xf32>
  %v74 = weir.sigmoid %v68 : tensor<4x16xf32>
  %v75 = weir.tanh %v70 : tensor<4x16xf32>
  %v76 = weir.mul %v74, %v75 : tensor<4x16xf32>, tensor<4x16xf32>
  %v77 = weir.add %v73, %v76 : tensor<4x16xf32>, tensor<4x16xf32>
  %v78 = weir.sigmoid %v71 : tensor<4x16xf32>
  %v79 = weir.tanh %v77 : tensor<4x16xf32>
  %v80 = weir.mul %v78, %v79 : tensor<4x16xf32>, tensor<4x16xf32>
  %v81 = weir.linear %data5, %l0_w, %l0_b : tensor<4x12xf32>, tensor<64x12xf32>, tensor<64xf32>
  %v82 = weir.linear %v80, %l0_u : tensor<4x16xf32>, tensor<64x16xf32>
  %v83 = weir.add %v81, %v82 : tensor<4x64xf32>, tensor<4x64xf32>
  %v84 = weir.slice %v83 {sizes = [4, 16], starts = [0, 0]} : tensor<4x64xf32>
  %v85 = weir.slice %v83 {sizes = [4, 16], starts = [0, 16]} : tensor<4x64xf32>
  %v86 = weir.slice %v83 {sizes = [4, 16], starts = [0, 32]} : tensor<4x64xf32>
  %v87 = weir.slice %v83 {sizes = [4, 16], starts = [0, 48]} : tensor<4x64xf32>
  %v88 = weir.sigmoid %v85 : tensor<4x16xf32>
  %v89 = weir.mul %v88, %v77 : tensor<4x16xf32>, tensor<4x16xf32>
  %v90 = weir.sigmoid %v84 : tensor<4x16xf32>
  %v91 = weir.tanh %v86 : tensor<4x16xf32>
  %v92 = weir.mul %v90, %v91 : tensor<4x16xf32>, tensor<4x16xf32>
  %v93 = weir.add %v89, %v92 : tensor<4x16xf32>, tensor<4x16xf32>
  %v94 = weir.sigmoid %v87 : tensor<4x16xf32>
  %v95 = weir.tanh %v93 : tensor<4x16xf32>
  %v96 = weir.mul %v94, %v95 : tensor<4x16xf32>, tensor<4x16xf32>
  %l1_w = weir.read @l1_w : tensor<64x16xf32>
  %l1_u = weir.read @l1_u : tensor<64x16xf32>
  %l1_b = weir.read @l1_b : tensor<64xf32>
  %v97 = weir.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<4x16xf32>
  %v98 = weir.linear %v16, %l1_w, %l1_b : tensor<4x16xf32>, tensor<64x16xf32>, tensor<64xf32>
  %v99 = weir.linear %v97, %l1_u : tensor<4x16xf32>, tensor<64x16xf32>
  %v100 = weir.add %v98, %v99 : tensor<4x64xf32>, tensor<4x64xf32>
  %v101 = weir.slice %v100 {sizes = [4, 16], starts = [0, 0]} : tensor<4x64xf32>
  %v102 = weir.slice %v100 {sizes = [4, 16], starts = [0, 16]} : tensor<4x64xf32>
  %v103 = weir.slice %v100 {sizes = [4, 16], starts = [0, 32]} : tensor<4x64xf32>
  %v104 = weir.slice %v100 {sizes = [4, 16], starts = [0, 48]} : tensor<4x64xf32>
  %v105 = weir.sigmoid %v102 : tensor<4x16xf32>
  %v106 = weir.mul %v105, %v97 : tensor<4x16xf32>, tensor<4x16xf32>
  %v107 = weir.sigmoid %v101 : tensor<4x16xf32>
  %v108 = weir.tanh %v103 : tensor<4x16xf32>
  %v109 = weir.mul %v107, %v108 : tensor<4x16xf32>, tensor<4x16xf32>
  %v110 = weir.add %v106, %v109 : tensor<4x16xf32>, tensor<4x16xf32>
  %v111 = weir.sigmoid %v104 : tensor<4x16xf32>
  %v112 = weir.tanh %v110 : tensor<4x16xf32>
  %v113 = weir.mul %v111, %v112 : tensor<4x16xf32>, tensor<4x16xf32>
  %v114 = weir.linear %v32, %l1_w, %l1_b : tensor<4x16xf32>, tensor<64x16xf32>, tensor<64xf32>
  %v115 = weir.linear %v113, %l1_u : tensor<4x16xf32>, tensor<64x16xf32>
  %v116 = weir.add %v114, %v115 : tensor<4x64xf32>, tensor<4x64xf32>
  %v117 = weir.slice %v116 {sizes = [4, 16], starts = [0, 0]} : tensor<4x64xf32>
  %v118 = weir.slice %v116 {sizes = [4, 16], starts = [0, 16]} : tensor<4x64xf32>
  %v119 = weir.slice %v116 {sizes = [4, 16], starts = [0, 32]} : tensor<4x64xf32>
  %v120 = weir.slice %v116 {sizes = [4, 16], starts = [0, 48]} : tensor<4x64xf32>
  %v121 = weir.sigmoid %v118 : tensor<4x16xf32>
  %v122 = weir.mul %v121, %v110 : tensor<4x16xf32>, tensor<4x16xf32>
  %v123 = weir.sigmoid %v117 : tensor<4x16xf32>
  %v124 = weir.tanh %v119 : tensor<4x16xf32>
  %v125 = weir.mul %v123, %v124 : tensor<4x16xf32>, tensor<4x16xf32>
  %v126 = weir.add %v122, %v125 : tensor<4x16xf32>, tensor<4x16xf32>
  %v127 = weir.sigmoid %v120 : tensor<4x16xf32>
  %v128 = weir.tanh %v126 : tensor<4x16xf32>
  %v129 = weir.mul %v127, %v128 : tensor<4x16xf32>, tensor<4x16xf32>
  %v130 = weir.linear %v48, %l1_w, %l1_b : tensor<4x16xf32>, tensor<64x16xf32>, tensor<64xf32>
  %v131 = weir.linear %v129, %l1_u : tensor<4x16xf32>, tensor<64x16xf32>
  %v132 = weir.add %v130, %v131 : tensor<4x64xf32>, tensor<4x64xf32>
  %v133 = weir.slice %v132 {sizes = [4, 16], starts = [0, 0]} : tensor<4x64xf32>
  %v134 = weir.slice %v132 {sizes = [4, 16], starts = [0, 16]} : tensor<4x64xf32>
  %v135 = weir.slice %v132 {sizes = [4, 16], starts = [0, 32]} : tensor<4x64xf32>
  %v136 = weir.slice %v132 {sizes = [4, 16], starts = [0, 48]} : tensor<4x64xf32>
  %v137 = weir.sigmoid %v134 : tensor<4x16xf32>
  %v138 = weir.mul %v137, %v126 : tensor<4x16xf32>, tensor<4x16xf32>
  %v139 = weir.sigmoid %v133 : tensor<4x16xf32>
  %v140 = weir.tanh %v135 : tensor<4x16xf32>
  %v141 = weir.mul %v139, %v140 : tensor<4x16xf32>, tensor<4x16xf32>
  %v142 = weir.add %v138, %v141 : tensor<4x16xf32>, tensor<4x16xf32>
  %v143 = weir.sigmoid %v136 : tensor<4x16xf32>
  %v144 = weir.tanh %v142 : tensor<4x16xf32>
  %v145 = weir.mul %v143, %v144 : tensor<4x16xf32>, tensor<4x16xf32>
  %v146 = weir.linear %v64, %l1_w, %l1_b : tensor<4x16xf32>, tensor<64x16xf32>, tensor<64xf32>
  %v147 = weir.linear %v145, %l1_u : tensor<4x16xf32>, tensor<64x16xf32>
  %v148 = weir.add %v146, %v147 : tensor<4x64xf32>, tensor<4x64xf32>
  %v149 = weir.slice %v148 {sizes = [4, 16], starts = [0, 0]} : tensor<4x64xf32>
  %v150 = weir.slice %v148 {sizes = [4, 16], starts = [0, 16]} : tensor<4x64xf32>
  %v151 = weir.slice %v148 {sizes = [4, 16], starts = [0, 32]} : tensor<4x64xf32>
  %v152 = weir.slice %v148 {sizes = [4, 16], starts = [0, 48]} : tensor<4x64xf32>
  %v153 = weir.sigmoid %v150 : tensor<4x16xf32>
  %v154 = weir.mul %v153, %v142 : tensor<4x16xf32>, tensor<4x16xf32>
  %v155 = weir.sigmoid %v149 : tensor<4x16xf32>
  %v156 = weir.tanh %v151 : tensor<4x16xf32>
  %v157 = weir.mul %v155, %v156 : tensor<4x16xf32>, tensor<4x16xf32>
  %v158 = weir.add %v154, %v157 : tensor<4x16xf32>, tensor<4x16xf32>
  %v159 = weir.sigmoid %v152 : tensor<4x16xf32>
  %v160 = weir.tanh %v158 : tensor<4x16xf32>
  %v161 = weir.mul %v159, %v160 : tensor<4x16xf32>, tensor<4x16xf32>
  %v162 = weir.linear %v80, %l1_w, %l1_b : tensor<4x16xf32>, tensor<64x16xf32>, tensor<64xf32>
  %v163 = weir.linear %v161, %l1_u : tensor<4x16xf32>, tensor<64x16xf32>
  %v164 = weir.add %v162, %v163 : tensor<4x64xf32>, tensor<4x64xf32>
  %v165 = weir.slice %v164 {sizes = [4, 16], starts = [0, 0]} : tensor<4x64xf32>
  %v166 = weir.slice %v164 {sizes = [4, 16], starts = [0, 16]} : tensor<4x64xf32>
  %v167 = weir.slice %v164 {sizes = [4, 16], starts = [0, 32]} : tensor<4x64xf32>
  %v168 = weir.slice %v164 {sizes = [4, 16], starts = [0, 48]} : tensor<4x64xf32>
  %v169 = weir.sigmoid %v166 : tensor<4x16xf32>
  %v170 = weir.mul %v169, %v158 : tensor<4x16xf32>, tensor<4x16xf32>
  %v171 = weir.sigmoid %v165 : tensor<4x16xf32>
  %v172 = weir.tanh %v167 : tensor<4x16xf32>
  %v173 = weir.mul %v171, %v172 : tensor<4x16xf32>, tensor<4x16xf32>
  %v174 = weir.add %v170, %v173 : tensor<4x16xf32>, tensor<4x16xf32>
  %v175 = weir.sigmoid %v168 : tensor<4x16xf32>
  %v176 = weir.tanh %v174 : tensor<4x16xf32>
  %v177 = weir.mul %v175, %v176 : tensor<4x16xf32>, tensor<4x16xf32>
  %v178 = weir.linear %v96, %l1_w, %l1_b : tensor<4x16xf32>, tensor<64x16xf32>, tensor<64xf32>
  %v179 = weir.linear %v177, %l1_u : tensor<4x16xf32>, tensor<64x16xf32>
  %v180 = weir.add %v178, %v179 : tensor<4x64xf32>, tensor<4x64xf32>
  %v181 = weir.slice %v180 {sizes = [4, 16], starts = [0, 0]} : tensor<4x64xf32>
  %v182 = weir.slice %v180 {sizes = [4, 16], starts = [0, 16]} : tensor<4x64xf32>
  %v183 = weir.slice %v180 {sizes = [4, 16], starts = [0, 32]} : tensor<4x64xf32>
  %v184 = weir.slice %v180 {sizes = [4, 16], starts = [0, 48]} : tensor<4x64xf32>
  %v185 = weir.sigmoid %v182 : tensor<4x16xf32>
  %v186 = weir.mul %v185, %v174 : tensor<4x16xf32>, tensor<4x16xf32>
  %v187 = weir.sigmoid %v181 : tensor<4x16xf32>
  %v188 = weir.tanh %v183 : tensor<4x16xf32>
  %v189 = weir.mul %v187, %v188 : tensor<4x16xf32>, tensor<4x16xf32>
  %v190 = weir.add %v186, %v189 : tensor<4x16xf32>, tensor<4x16xf32>
  %v191 = weir.sigmoid %v184 : tensor<4x16xf32>
  %v192 = weir.tanh %v190 : tensor<4x16xf32>
  %v193 = weir.mul %v191, %v192 : tensor<4x16xf32>, tensor<4x16xf32>
  %head_w = weir.read @head_w : tensor<5x16xf32>
  %head_b = weir.read @head_b : tensor<5xf32>
  %v194 = weir.linear %v193, %head_w, %head_b : tensor<4x16xf32>, tensor<5x16xf32>, tensor<5xf32>
  %v195 = weir.log_softmax %v194 {axis = -1} : tensor<4x5xf32>
  %v196 = weir.reshape %data6 {shape = [4, 1]} : tensor<4xi64>
  %v197 = weir.take_along_axis %v195, %v196 {axis = 1} : tensor<4x5xf32>, tensor<4x1xi64>
  %v198 = weir.reduce_mean %v197 {keepdims = false} : tensor<4x1xf32>
  %v199 = weir.neg %v198 : tensor<f32>
  weir.minimize %v199 {optimizer = {name = "rmsprop", rate = 0.001}} : tensor<f32>
  return %v199 : tensor<f32>
}
